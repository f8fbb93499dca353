import { isUtf8 } from 'node:buffer';
import { createHash, hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Forgotten } from '../forget/forgotten.js';
import type { MemoryIndex, StoredDocument } from '../index/memory-index.js';
import { bytesOf } from '../index/vectors/vector-bytes.js';
import { resolveWorkspace } from '../sources/memory-files.js';
import { absoluteFromDisplay } from '../sources/paths.js';
import { readDocument } from '../sources/read-document.js';
import type { SkippedFile } from '../types.js';
import { EXPORT_VERSION, type ExportLine } from './export-format.js';
import { exportedPath } from './landing-path.js';

/** What an export is made of. */
export interface ExportContext {
  readonly index: MemoryIndex;
  readonly workspaceDir: string;
  readonly forgotten: Forgotten;
  readonly agent: string | null;
  /** Now, in milliseconds since the epoch. */
  readonly atMs: number;
  readonly vectors: boolean;
  readonly signal: AbortSignal | undefined;
}

/** What was exported; complete once the last line was taken. */
export interface ExportTally {
  documents: number;
  vectors: number;
  bytes: number;
  readonly skipped: SkippedFile[];
}

/** Vectors that are in memory at once. */
const VECTORS_AT_ONCE = 500;

/**
 * Gives an export line by line, with one document in memory at a time. What is forgotten is not in it:
 * its lines are empty there. Transcripts are not either; they belong to the agents that wrote them.
 */
export async function* exportLines(
  context: ExportContext,
  tally: ExportTally,
): AsyncGenerator<string> {
  const digest = createHash('sha256');
  for await (const line of contentLines(context, tally)) {
    context.signal?.throwIfAborted();
    const text = `${JSON.stringify(line)}\n`;
    digest.update(text);
    tally.bytes += Buffer.byteLength(text);
    yield text;
  }
  const { documents, vectors } = tally;
  const end: ExportLine = { type: 'end', documents, vectors, sha256: digest.digest('hex') };
  yield `${JSON.stringify(end)}\n`;
}

async function* contentLines(
  context: ExportContext,
  tally: ExportTally,
): AsyncGenerator<ExportLine> {
  const { index, agent, atMs } = context;
  const at = new Date(atMs).toISOString();
  yield { type: 'header', format: 'svc-memory', version: EXPORT_VERSION, at, agent };
  const workspaceDir = resolveWorkspace(context.workspaceDir);
  const documents = (await index.documents())
    .filter(({ source }) => source === 'memory')
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
  for (const document of documents) {
    const line = documentLine(document, workspaceDir, context.forgotten, tally);
    if (line === undefined) continue;
    tally.documents += 1;
    yield line;
  }
  if (context.vectors) yield* vectorLines(index, tally);
}

function documentLine(
  { path, kind, fingerprint }: StoredDocument,
  workspaceDir: string,
  forgotten: Forgotten,
  tally: ExportTally,
): ExportLine | undefined {
  const absolutePath = absoluteFromDisplay(workspaceDir, path);
  const outcome = readDocument(absolutePath, path);
  if (!outcome.ok) {
    tally.skipped.push(outcome.skip);
    return undefined;
  }
  const covered = forgotten.cover(outcome.document.lines, outcome.document.hash);
  if (covered.mark !== '' && kind === 'media') return undefined;
  const bytes =
    covered.mark === '' ? readFileSync(absolutePath) : Buffer.from(covered.lines.text, 'utf8');
  const content = bytes.toString('utf8');
  // Text that JSON would write with many escapes is shorter as base64.
  const isText = isUtf8(bytes) && JSON.stringify(content).length * 3 <= bytes.length * 4 + 16;
  return {
    type: 'document',
    path: exportedPath(path),
    modifiedMs: fingerprint.mtimeMs,
    sha256: hash('sha256', bytes),
    encoding: isText ? 'utf8' : 'base64',
    content: isText ? content : bytes.toString('base64'),
  };
}

async function* vectorLines(index: MemoryIndex, tally: ExportTally): AsyncGenerator<ExportLine> {
  const used = new Set(await index.vectorIdentities());
  const spaces = (await index.vectorSpaces()).filter(({ identity }) => used.has(identity));
  for (const [space, { identity, dimensions }] of spaces.entries()) {
    yield { type: 'space', space, identity, dimensions };
    for (let after = 0; ; ) {
      const vectors = await index.storedEmbeddings(identity, { after, limit: VECTORS_AT_ONCE });
      const last = vectors.at(-1);
      if (last === undefined) break;
      after = last.id;
      for (const { hash: content, vector } of vectors) {
        tally.vectors += 1;
        yield {
          type: 'vector',
          space,
          content: content.toString('hex'),
          vector: bytesOf(vector).toString('base64'),
        };
      }
    }
  }
}
