import { isUtf8 } from 'node:buffer';
import { createHash, hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { SvcError, systemErrorCode, systemReason } from '../../errors/index.js';
import {
  PRIVATE_MODE,
  replaceableTarget,
  syncFolder,
  unlessSystemError,
} from '../../support/files.js';
import { pushAll } from '../../support/lists.js';
import { removeStrayTemporaries, temporaryFor } from '../../support/replace-file.js';
import { iso } from '../../support/time.js';
import type { ExtractedTexts } from '../extract/index.js';
import type { Forgotten } from '../forgotten/index.js';
import { bytesOf, type MemoryIndex, type StoredDocument } from '../index/index.js';
import {
  absoluteFromDisplay,
  allSkips,
  type BytesOutcome,
  type MemoryFilesOptions,
  readBytes,
  resolveWorkspace,
  scanMemoryFiles,
} from '../sources/index.js';
import type { SkippedFile } from '../types.js';
import { EXPORT_VERSION, type ExportLine, exportedPath } from './export-format.js';

export interface ExportContext {
  readonly index: MemoryIndex;
  readonly memory: MemoryFilesOptions;
  readonly forgotten: Forgotten;
  readonly texts: ExtractedTexts;
  readonly agent: string | null;
  readonly atMs: number;
  readonly vectors: boolean;
  readonly signal: AbortSignal | undefined;
}

/** What was exported; complete after the last line. */
export interface ExportTally {
  documents: number;
  vectors: number;
  bytes: number;
  readonly skipped: SkippedFile[];
}

/** Vectors in memory at once. */
const VECTORS_AT_ONCE = 500;

/**
 * Produces an export line by line, with one document in memory at a time. Forgotten lines are empty in it;
 * documents from which they cannot be removed are left out.
 * Transcripts are not included; they belong to the agents that wrote them.
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
  const { index, memory, agent, atMs } = context;
  const at = iso(atMs);
  yield { type: 'header', format: 'svc-memory', version: EXPORT_VERSION, at, agent };
  const workspaceDir = resolveWorkspace(memory.workspaceDir);
  const documents = (await index.documents())
    .filter(({ source }) => source === 'memory')
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
  // What could not be indexed is not in the export either. Conversations are not expected in it.
  const { skipped } = await index.syncMark();
  const unread = skipped.filter(({ path }) => existsSync(absoluteFromDisplay(workspaceDir, path)));
  // Paths that do not exist are part of every answer's warnings.
  const unlisted = scanMemoryFiles(memory).skipped.filter(({ reason }) => reason !== 'missing');
  pushAll(tally.skipped, allSkips(unlisted, unread));
  const hashes = new Map(documents.map(({ path, hash }) => [path, hash]));
  for (const document of documents) {
    const path = pathFor(document, hashes);
    if (path === undefined) continue;
    const line = await documentLine(document, path, workspaceDir, context, tally);
    if (line === undefined) continue;
    tally.documents += 1;
    yield line;
  }
  if (context.vectors) yield* vectorLines(index, tally);
}

/**
 * The path of a document in the export; undefined for one whose unchanged copy is exported: an earlier import into the
 * same memory left it where the document itself would be.
 *
 * @param hashes of all documents, by their paths
 */
function pathFor(
  { path, hash }: StoredDocument,
  hashes: ReadonlyMap<string, string>,
): string | undefined {
  for (let attempt = 0; ; attempt += 1) {
    const candidate = exportedPath(path, attempt);
    const other = candidate === path ? undefined : hashes.get(candidate);
    if (other === undefined) return candidate;
    if (other === hash) return undefined;
  }
}

async function documentLine(
  document: StoredDocument,
  exportPath: string,
  workspaceDir: string,
  context: ExportContext,
  tally: ExportTally,
): Promise<ExportLine | undefined> {
  const { path, fingerprint } = document;
  const read = readBytes(absoluteFromDisplay(workspaceDir, path), path);
  const left = read.ok ? await withoutForgotten(document, read, context) : read;
  if (!left.ok) {
    tally.skipped.push(left.skip);
    return undefined;
  }
  const { bytes } = left;
  const content = bytes.toString('utf8');
  // Base64 is shorter for text with many JSON escapes.
  const isText = isUtf8(bytes) && JSON.stringify(content).length * 3 <= bytes.length * 4 + 16;
  return {
    type: 'document',
    path: exportPath,
    modifiedMs: fingerprint.mtimeMs,
    sha256: hash('sha256', bytes),
    encoding: isText ? 'utf8' : 'base64',
    content: isText ? content : bytes.toString('base64'),
  };
}

/** A file as it is exported. */
async function withoutForgotten(
  { path, kind }: StoredDocument,
  read: Extract<BytesOutcome, { ok: true }>,
  { forgotten, texts, signal }: ExportContext,
): Promise<BytesOutcome> {
  if (forgotten.isEmpty) return read;
  const text = await texts.textOf(path, read, { signal });
  if (!text.ok) return text;
  const { lines, mark } = forgotten.cover(text.document.lines, text.document.hash);
  if (mark === '') return read;
  return kind === 'markdown' || kind === 'text'
    ? { ...read, bytes: Buffer.from(lines.text, 'utf8') }
    : { ok: false, skip: { path, reason: 'forgotten' } };
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
      for (const { hash: content, vectors: pieces } of vectors) {
        tally.vectors += 1;
        yield {
          type: 'vector',
          space,
          content: content.toString('hex'),
          vector: Buffer.concat(pieces.map(bytesOf)).toString('base64'),
        };
      }
    }
  }
}

/** Lines are buffered up to this many bytes. */
const GATHERED_BYTES = 1024 * 1024;

/**
 * Writes a file atomically from chunks, readable only by its owner.
 *
 * @param replaces whether an existing file may be replaced
 * @throws SvcError EXPORT_WRITE_FAILED
 */
export async function writeExportFile<T>(
  file: string,
  replaces: boolean,
  produce: (write: (text: string) => Promise<void>) => Promise<T>,
): Promise<T> {
  const target = targetOf(file, replaces);
  const temporary = temporaryFor(target);
  const failing = <R>(work: Promise<R>): Promise<R> => work.catch((error) => fail(file, error));
  // A killed export left a whole memory behind, where no sync looks for it.
  unlessSystemError(() => removeStrayTemporaries(dirname(target), Date.now()));
  const handle = await failing(open(temporary, 'wx', PRIVATE_MODE));
  try {
    let gathered: string[] = [];
    let length = 0;
    const flush = async (): Promise<void> => {
      const text = gathered.join('');
      gathered = [];
      length = 0;
      await failing(handle.appendFile(text));
    };
    const result = await produce(async (text) => {
      gathered.push(text);
      length += text.length;
      if (length >= GATHERED_BYTES) await flush();
    });
    await flush();
    await failing(handle.sync());
    await failing(handle.close());
    await failing(rename(temporary, targetOf(file, replaces)));
    syncFolder(dirname(target));
    return result;
  } catch (error) {
    await handle.close().catch(() => undefined);
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
}

function targetOf(file: string, replaces: boolean): string {
  if (!replaces && existsSync(file)) {
    throw new SvcError('EXPORT_WRITE_FAILED', `${file} already exists`, {
      hint: 'choose another name, or pass --force',
    });
  }
  try {
    return replaceableTarget(file);
  } catch (error) {
    return fail(file, error);
  }
}

function fail(file: string, error: unknown): never {
  throw new SvcError('EXPORT_WRITE_FAILED', `cannot write ${file}: ${systemReason(error)}`, {
    hint: ['EISDIR', 'EFTYPE'].includes(systemErrorCode(error) ?? '')
      ? 'pass the name of a file with --output'
      : 'check its folder and the free disk space',
    cause: error,
  });
}
