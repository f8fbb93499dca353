import { closeSync, lstatSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { SvcError, systemErrorCode } from '../../errors/index.js';
import { closeWriter, openDatabase, replaceContent } from '../../sqlite/database.js';
import { closing } from '../../support/async.js';
import type { Clock } from '../../support/context.js';
import { PRIVATE_MODE, syncFile, syncFolder } from '../../support/files.js';
import { extractedFolder } from '../extract/index.js';
import { indexHeader, type OpenedIndex, type SqliteIndex, statIndex } from '../index/index.js';
import { withWholeIndexLock } from '../sync/index-lock.js';
import type { ResetResult } from './index-home.js';

const SIDE_FILES = ['-wal', '-shm', '-journal'] as const;

/** Where a new index is built, next to the one it will replace. */
export function buildFile(indexFile: string): string {
  return `${indexFile}.build`;
}

/** Removes leftovers of interrupted builds. Only for the holder of the index lock, so that no build is running. */
export function removeStrayBuilds(indexFile: string): void {
  const stem = basename(buildFile(indexFile));
  for (const name of readdirSync(dirname(indexFile))) {
    if (name.startsWith(stem)) rmSync(join(dirname(indexFile), name), { force: true });
  }
}

/** Removes an index with its side files. */
export function removeIndexFiles(indexFile: string): void {
  for (const suffix of ['', ...SIDE_FILES]) rmSync(indexFile + suffix, { force: true });
}

/**
 * Replaces the index with a finished build, atomically.
 *
 * A usable index gets the new content through SQLite's backup API, in one transaction: open connections keep
 * the old content and see the new one with their next statement. Renaming would leave the old file's
 * write-ahead log in place, which is found by name. If there is no usable index, the build is renamed.
 *
 * @param replaced the state of the index that is replaced
 */
export async function publishBuild(
  build: SqliteIndex,
  indexFile: string,
  replaced: OpenedIndex['state'],
): Promise<void> {
  const file = buildFile(indexFile);
  build.seal();
  if (replaced === 'ready') {
    await copyIntoIndex(file, indexFile);
    removeIndexFiles(file);
    return;
  }
  syncFile(file);
  if (replaced === 'unusable') setAsideForeign(indexFile);
  removeIndexFiles(indexFile);
  renameSync(file, indexFile);
  syncFolder(dirname(indexFile));
}

async function copyIntoIndex(file: string, indexFile: string): Promise<void> {
  using source = closing(openDatabase(file, { readonly: true, busyTimeoutMs: 0 }));
  const target = openDatabase(indexFile, { readonly: false, busyTimeoutMs: LOCK_WAIT_MS });
  try {
    await replaceContent(target, source);
  } finally {
    closeWriter(target);
  }
}

/** Only an index can be discarded; anything else may be there because of a typo in `store.path`. */
function setAsideForeign(indexFile: string): void {
  const stats = lstatSync(indexFile, { throwIfNoEntry: false });
  if (stats?.isFile() !== true || indexHeader(indexFile) !== 'foreign') return;
  renameSync(indexFile, claimSetAsideFile(indexFile));
}

/** Creates the empty file that a foreign one replaces, so that an earlier one keeps its name. */
function claimSetAsideFile(indexFile: string): string {
  for (let number = 1; ; number++) {
    const file = `${indexFile}.replaced${number === 1 ? '' : `.${number}`}`;
    try {
      closeSync(openSync(file, 'wx', PRIVATE_MODE));
      return file;
    } catch (error) {
      if (systemErrorCode(error) !== 'EEXIST') throw error;
    }
  }
}

const LOCK_WAIT_MS = 5000;

/**
 * Deletes what is at the path of an index, unless it is something else, such as a note after a typo in `store.path`.
 *
 * @throws SvcError INDEX_LOCKED, INDEX_UNWRITABLE
 */
export async function resetIndex(indexFile: string, clock: Clock): Promise<ResetResult> {
  if (statIndex(indexFile) !== undefined && indexHeader(indexFile) === 'foreign') {
    throw new SvcError('INDEX_UNWRITABLE', `cannot delete ${indexFile}: it is not an svc index`, {
      hint: 'move it away, or set memorySearch.store.path to another file',
    });
  }
  return deleteIndex(indexFile, clock);
}

/**
 * Deletes an index, damaged or not, and leftovers of interrupted builds, while nobody writes it.
 *
 * @throws SvcError INDEX_LOCKED, INDEX_UNWRITABLE
 */
export async function deleteIndex(indexFile: string, clock: Clock): Promise<ResetResult> {
  const lock = { nowMs: clock.now(), waitMs: LOCK_WAIT_MS };
  return withWholeIndexLock(indexFile, lock, () => {
    const size = statIndex(indexFile)?.size;
    removeIndexFiles(indexFile);
    removeStrayBuilds(indexFile);
    rmSync(extractedFolder(indexFile), { recursive: true, force: true });
    return { deleted: size !== undefined, bytes: size ?? 0 };
  });
}
