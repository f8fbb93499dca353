import { lstatSync, mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, SvcError, systemErrorCode } from '../../errors/index.js';
import type { EmbeddingEntry, MemoryIndex } from '../index/memory-index.js';
import { type CheckedExport, checkExport, contentOf, parseLine, vectorOf } from './check-export.js';
import { exportFault } from './export-fault.js';
import type { ExportLine } from './export-format.js';
import {
  type ExistingFiles,
  type LandingPlan,
  landDocument,
  planLanding,
} from './land-documents.js';
import { readFileLines } from './read-lines.js';

/** An export that was found to be whole, and what would become of it. */
export interface ImportPlan {
  readonly checked: CheckedExport;
  /** Absolute path of the folder that the documents land in. */
  readonly root: string;
  readonly landing: LandingPlan;
}

/** What was written. */
export interface ImportedFiles {
  readonly written: readonly string[];
  readonly kept: readonly string[];
  readonly replaced: readonly { readonly path: string; readonly backup: string }[];
}

/** Vectors that are in memory at once. */
const VECTORS_AT_ONCE = 500;
const MISSING_AT_ONCE = 2000;

/**
 * Reads a whole export and looks at where it would land; writes nothing.
 *
 * @throws SvcError IMPORT_INVALID, IMPORT_FAILED
 */
export async function planImport(file: string, into: string): Promise<ImportPlan> {
  try {
    const checked = await checkExport(file);
    const root =
      lstatSync(into, { throwIfNoEntry: false }) === undefined ? into : realpathSync(into);
    return { checked, root, landing: planLanding(root, checked.documents) };
  } catch (error) {
    if (error instanceof SvcError) throw error;
    const why =
      systemErrorCode(error) === 'ENOENT'
        ? `there is no file ${file}`
        : `${file} cannot be read: ${messageOf(error)}`;
    throw new SvcError('IMPORT_FAILED', why, {
      hint: 'name a file that "svc memory export" wrote',
      cause: error,
    });
  }
}

/**
 * Writes the documents of an export, each in one step. Stopped half way, what is written stays, and
 * the same import goes on from there.
 *
 * @param backupDir where files go that are replaced
 * @throws SvcError IMPORT_CONFLICT before anything is written, IMPORT_FAILED, IMPORT_INVALID
 */
export async function importFiles(
  { checked, root, landing }: ImportPlan,
  existing: ExistingFiles,
  backupDir: string,
  signal: AbortSignal | undefined,
): Promise<ImportedFiles> {
  if (existing === 'refuse') refuseConflicts(landing, root);
  const fresh = new Set(landing.fresh);
  const different = new Set(existing === 'replace' ? landing.different : []);
  const wanted = new Map(checked.documents.map(({ path, sha256 }) => [path, sha256]));
  mkdirSync(root, { recursive: true });
  const written: string[] = [];
  const replaced: { readonly path: string; readonly backup: string }[] = [];
  for await (const { line, number } of linesOf(checked.file)) {
    signal?.throwIfAborted();
    if (line.type !== 'document' || !(fresh.has(line.path) || different.has(line.path))) continue;
    const { path, modifiedMs } = line;
    if (wanted.get(path) !== line.sha256) {
      throw exportFault(checked.file, number, 'the file changed while it was read');
    }
    const replaces = different.has(path);
    // Names that differ in case alone may be one file here.
    if (!replaces && lstatSync(join(root, path), { throwIfNoEntry: false }) !== undefined) {
      refuseConflicts({ different: [path] }, root);
    }
    landDocument(
      root,
      { path, modifiedMs, bytes: contentOf(line) },
      replaces ? backupDir : undefined,
    );
    if (replaces) replaced.push({ path, backup: join(backupDir, path) });
    else written.push(path);
  }
  return { written, kept: existing === 'keep' ? landing.different : [], replaced };
}

/**
 * Gives passages of an index the vectors that an export has for them, each under the identity that it
 * was made with. An index whose provider has another identity never compares them with its own.
 *
 * @returns how many vectors found a passage
 */
export async function importVectors(
  { file, spaces }: CheckedExport,
  index: MemoryIndex,
  signal: AbortSignal | undefined,
): Promise<number> {
  let used = 0;
  let space = -1;
  let missing = new Set<string>();
  let batch: EmbeddingEntry[] = [];
  const flush = async (): Promise<void> => {
    const identity = spaces[space]?.identity;
    if (identity !== undefined && batch.length > 0) await index.putEmbeddings(identity, batch);
    used += batch.length;
    batch = [];
  };
  for await (const { line } of linesOf(file)) {
    signal?.throwIfAborted();
    if (line.type === 'space') {
      await flush();
      space = line.space;
      missing = await missingContents(index, line.identity);
    } else if (line.type === 'vector' && missing.delete(line.content)) {
      batch.push({ hash: Buffer.from(line.content, 'hex'), vector: vectorOf(line) });
      if (batch.length === VECTORS_AT_ONCE) await flush();
    }
  }
  await flush();
  return used;
}

/** The contents of an index that have no vector under an identity. */
async function missingContents(index: MemoryIndex, identity: string): Promise<Set<string>> {
  const contents = new Set<string>();
  for (let after = 0; ; ) {
    const missing = await index.missingEmbeddings(identity, after, MISSING_AT_ONCE);
    const last = missing.at(-1);
    if (last === undefined) return contents;
    for (const { hash } of missing) contents.add(hash.toString('hex'));
    after = last.chunkId;
  }
}

async function* linesOf(
  file: string,
): AsyncGenerator<{ readonly line: ExportLine; readonly number: number }> {
  for await (const { number, bytes } of readFileLines(file)) {
    yield { number, line: parseLine(bytes, (why) => exportFault(file, number, why)) };
  }
}

const CONFLICTS_NAMED = 5;

function refuseConflicts({ different }: Pick<LandingPlan, 'different'>, root: string): void {
  if (different.length === 0) return;
  const named = different.slice(0, CONFLICTS_NAMED).join(', ');
  const more =
    different.length > CONFLICTS_NAMED ? ` and ${different.length - CONFLICTS_NAMED} more` : '';
  throw new SvcError(
    'IMPORT_CONFLICT',
    `in ${root} there is something else under the same name: ${named}${more}`,
    {
      hint: 'add --existing keep or --existing replace, or choose another folder with --into',
      details: { paths: different },
    },
  );
}
