import { hash } from 'node:crypto';
import { lstatSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SvcError, systemErrorCode, systemReason } from '../../errors/index.js';
import {
  isReadOnly,
  makeFolders,
  PRIVATE_MODE,
  requireFile,
  SHARED_FOLDER_MODE,
} from '../../support/files.js';
import { replaceFile } from '../../support/replace-file.js';
import { shellWord, shortList } from '../../support/text.js';
import { pages } from '../embedding/passages.js';
import type { EmbeddingEntry, MemoryIndex } from '../index/index.js';
import {
  type CheckedExport,
  checkExport,
  contentOf,
  type ExportLine,
  exportFault,
  type LineOf,
  parseLine,
  readFileLines,
  vectorsOf,
} from './export-format.js';
import type { ImportOutput } from './output-schemas.js';

/** A validated export, and the effect of importing it. */
export type ImportPlan = Awaited<ReturnType<typeof planImport>>;

export type ImportedFiles = Pick<ImportOutput, 'kept' | 'replaced' | 'written'>;

/** Vectors in memory at once. */
const VECTORS_AT_ONCE = 500;
const MISSING_AT_ONCE = 2000;

const HINTS: Readonly<Record<string, string>> = {
  EISDIR: 'a folder of notes needs no import: add it to memorySearch.extraPaths',
  EFTYPE: 'pass a file written by "svc memory export", or - to read it from stdin',
};

/** Files that agents read as instructions if they are in their workspace. */
const INSTRUCTIONS =
  /(?:^|\/)(?:agents(?:\.override)?|bootstrap|(?:claude|crush)(?:\.local)?|gemini|heartbeat|identity|qwen|skill|soul|tools|warp)\.md$/iu;

/** Reads a whole export and checks its target; writes nothing. @throws SvcError IMPORT_INVALID, IMPORT_FAILED */
export async function planImport(file: string, into: string) {
  try {
    // It is read more than once: a named pipe would be empty after the first time.
    requireFile(statSync(file));
    const checked = await checkExport(file);
    /** Absolute path of the target folder. */
    const root = inFolder(into, () =>
      lstatSync(into, { throwIfNoEntry: false }) === undefined ? into : realpathSync(into),
    );
    const comparison = compareTarget(root, checked.documents);
    /** New files that agents would follow. */
    const instructions = comparison.fresh.filter((path) => INSTRUCTIONS.test(path));
    return { checked, root, comparison, instructions };
  } catch (error) {
    if (error instanceof SvcError) throw error;
    const code = systemErrorCode(error);
    const why =
      code === 'ENOENT' ? `file not found: ${file}` : `cannot read ${file}: ${systemReason(error)}`;
    const hint = HINTS[code ?? ''] ?? 'pass a file written by "svc memory export"';
    throw new SvcError('IMPORT_FAILED', why, { hint, cause: error });
  }
}

/** @throws SvcError IMPORT_FAILED when the target folder cannot be used, such as a link that leads nowhere */
function inFolder<T>(folder: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw new SvcError('IMPORT_FAILED', `cannot write to ${folder}: ${systemReason(cause)}`, {
      hint: 'pass another folder with --into',
      cause,
    });
  }
}

/**
 * Writes the documents of an export, each atomically. After an interruption, the same import continues.
 *
 * @param backupDir where replaced files are kept
 * @throws SvcError IMPORT_CONFLICT before anything is written, IMPORT_FAILED, IMPORT_INVALID
 */
export async function importFiles(
  { checked, root, comparison }: ImportPlan,
  existing: ExistingFiles,
  backupDir: string,
  signal: AbortSignal | undefined,
): Promise<ImportedFiles> {
  if (existing === 'refuse') refuseConflicts(comparison.different, root);
  const fresh = new Set(comparison.fresh);
  const different = new Set(existing === 'replace' ? comparison.different : []);
  for (const path of different) requireWritable(join(root, path), path);
  inFolder(root, () => makeFolders(root, SHARED_FOLDER_MODE));
  const written: string[] = [];
  const replaced: { readonly path: string; readonly backup: string }[] = [];
  for await (const { line, number } of linesOf(checked.file)) {
    signal?.throwIfAborted();
    if (line.type !== 'document' || !(fresh.has(line.path) || different.has(line.path))) continue;
    const { path } = line;
    if (checked.documents.get(path) !== line.sha256) {
      throw exportFault(checked.file, number, 'the file changed while it was being read');
    }
    const replaces = different.has(path);
    // Names that differ only in case may be one file here.
    if (!replaces && lstatSync(join(root, path), { throwIfNoEntry: false }) !== undefined) {
      refuseConflicts([path], root);
    }
    writeDocument(root, line, replaces ? backupDir : undefined);
    if (replaces) replaced.push({ path, backup: join(backupDir, path) });
    else written.push(path);
  }
  return { written, kept: existing === 'keep' ? comparison.different : [], replaced };
}

/**
 * Stores an export's vectors for passages of an index, under their original identities. A provider with
 * another identity never uses them.
 *
 * @returns how many vectors matched a passage
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
      const vectors = vectorsOf(line, spaces[space] ?? { dimensions: 1 });
      batch.push({ hash: Buffer.from(line.content, 'hex'), vectors });
      if (batch.length === VECTORS_AT_ONCE) await flush();
    }
  }
  await flush();
  return used;
}

/** The contents of an index that have no vector under an identity. */
async function missingContents(index: MemoryIndex, identity: string): Promise<Set<string>> {
  const contents = new Set<string>();
  const all = pages((after) => index.missingEmbeddings(identity, after, MISSING_AT_ONCE));
  for await (const { hash } of all) contents.add(hash.toString('hex'));
  return contents;
}

async function* linesOf(
  file: string,
): AsyncGenerator<{ readonly line: ExportLine; readonly number: number }> {
  for await (const { number, bytes } of readFileLines(file)) {
    yield { number, line: parseLine(bytes, (why) => exportFault(file, number, why)) };
  }
}

const CONFLICTS_NAMED = 5;

function refuseConflicts(different: readonly string[], root: string): void {
  if (different.length === 0) return;
  const paths = shortList(different, CONFLICTS_NAMED);
  throw new SvcError('IMPORT_CONFLICT', `files with other content exist in ${root}: ${paths}`, {
    hint: 'pass --existing keep or --existing replace, or choose another folder with --into',
    details: { paths: different },
  });
}

/** What to do with existing files that differ; of replaced ones, backups are kept. */
export type ExistingFiles = 'keep' | 'refuse' | 'replace';

/**
 * Compares documents with the files where they would be written, which have the same or other content; writes nothing.
 *
 * @param root the target folder; need not exist
 * @throws SvcError IMPORT_FAILED when something other than a file or folder is in the way, or a path cannot be checked
 */
function compareTarget(root: string, documents: CheckedExport['documents']) {
  const fresh: string[] = [];
  const same: string[] = [];
  const different: string[] = [];
  for (const [path, sha256] of documents) {
    try {
      requireFolders(root, path);
      const file = join(root, path);
      const stats = lstatSync(file, { throwIfNoEntry: false });
      if (stats === undefined) fresh.push(path);
      else if (!stats.isFile()) throw inTheWay(path);
      else if (hash('sha256', readFileSync(file)) === sha256) same.push(path);
      else different.push(path);
    } catch (error) {
      throw asTargetError(error, path);
    }
  }
  return { fresh, same, different };
}

/** A note that nothing may change is not replaced either, as everywhere. @throws SvcError IMPORT_FAILED */
function requireWritable(file: string, path: string): void {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats === undefined || !isReadOnly(stats)) return;
  throw new SvcError('IMPORT_FAILED', `cannot replace ${path}: it is read-only`, {
    hint: `nothing was written; run "chmod u+w ${shellWord(file)}", or keep it with --existing keep`,
  });
}

/**
 * Writes one document atomically, with its original modification time. A new file is readable by its owner only; one
 * that is replaced keeps its permissions.
 *
 * @param backupDir where an existing file is copied first; undefined if there is none
 * @throws SvcError IMPORT_FAILED
 */
function writeDocument(
  root: string,
  document: LineOf<'document'>,
  backupDir: string | undefined,
): void {
  const { path, modifiedMs } = document;
  requireFolders(root, path);
  const file = join(root, path);
  try {
    let mode = PRIVATE_MODE;
    if (backupDir !== undefined) {
      const backup = join(backupDir, path);
      makeFolders(dirname(backup));
      replaceFile(backup, readFileSync(file), PRIVATE_MODE);
      mode = lstatSync(file).mode & 0o777;
    }
    makeFolders(dirname(file), SHARED_FOLDER_MODE);
    // Node.js takes negative numbers for now, and dates for what they say.
    const modified = modifiedMs < 0 ? new Date(modifiedMs) : modifiedMs / 1000;
    replaceFile(file, contentOf(document), mode, modified);
  } catch (error) {
    throw new SvcError('IMPORT_FAILED', `cannot write ${path}: ${systemReason(error)}`, {
      hint: 'fix that and run the same command again: files already written are skipped',
      cause: error,
    });
  }
}

/** No part of the path may be a link, which could lead anywhere. */
function requireFolders(root: string, path: string): void {
  const parts = path.split('/').slice(0, -1);
  for (let length = 1; length <= parts.length; length++) {
    const below = parts.slice(0, length).join('/');
    const stats = lstatSync(join(root, below), { throwIfNoEntry: false });
    if (stats === undefined) return;
    if (!stats.isDirectory()) throw inTheWay(below);
  }
}

function asTargetError(error: unknown, path: string): unknown {
  if (error instanceof SvcError) return error;
  const isTooLong = systemErrorCode(error) === 'ENAMETOOLONG';
  const why = isTooLong ? 'its name is too long for this file system' : systemReason(error);
  return new SvcError('IMPORT_FAILED', `${path} cannot be imported: ${why}`, {
    hint: isTooLong
      ? 'give the note a shorter name where it comes from, and export again'
      : 'nothing was written; fix that and run the same command again',
    cause: error,
  });
}

function inTheWay(path: string): SvcError {
  const message = `${path} exists and is neither a file nor a folder of notes`;
  const hint = 'symbolic links are not followed; choose another folder with --into';
  return new SvcError('IMPORT_FAILED', message, { hint });
}
