import { lstatSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { openDatabase } from '../../sqlite/database.js';
import { syncToDisk } from '../../sync-to-disk.js';
import { indexHeader } from '../index/index-header.js';
import type { SqliteIndex } from '../index/sqlite-index.js';

const SIDE_FILES = ['-wal', '-shm', '-journal'] as const;

/** Where a new index is built, beside the one it will replace. */
export function buildFile(indexFile: string): string {
  return `${indexFile}.build`;
}

/**
 * Removes what a build that died left behind, and the side files of such a file. Only for the holder
 * of the index lock: nobody else can be building then.
 */
export function removeStrayBuilds(indexFile: string): void {
  const stem = basename(buildFile(indexFile));
  for (const name of readdirSync(dirname(indexFile))) {
    if (name.startsWith(stem)) rmSync(join(dirname(indexFile), name), { force: true });
  }
}

/** Removes an index with its side files, or an empty folder in its place: a full one is not ours. */
export function removeIndexFiles(indexFile: string): void {
  if (lstatSync(indexFile, { throwIfNoEntry: false })?.isDirectory() === true) rmdirSync(indexFile);
  for (const suffix of ['', ...SIDE_FILES]) rmSync(indexFile + suffix, { force: true });
}

/**
 * Puts a finished build in the place of the index, at once.
 *
 * Where a usable index stands, its content is replaced through SQLite's backup API, in one
 * transaction: connections that are reading go on with the old content and see the new one with
 * their next statement. Renaming over it would not do: the write-ahead log beside it belongs to the
 * old file but is found by its name. Where none stands, or one that cannot be opened, the build is
 * renamed into place.
 */
export async function publishBuild(
  build: SqliteIndex,
  indexFile: string,
  replaces: 'nothing' | 'unusable' | 'usable',
): Promise<void> {
  const file = buildFile(indexFile);
  build.seal();
  if (replaces === 'usable') {
    const source = openDatabase(file, { readonly: true, busyTimeoutMs: 0 });
    try {
      await source.backup(indexFile, { progress: () => PAGES_AT_ONCE });
    } finally {
      source.close();
    }
    removeIndexFiles(file);
    return;
  }
  syncToDisk(file);
  if (replaces === 'unusable') setAsideForeign(indexFile);
  removeIndexFiles(indexFile);
  renameSync(file, indexFile);
  syncToDisk(dirname(indexFile));
}

/** Where a file goes that stood in the index's place and may be something else. */
function setAsideFile(indexFile: string): string {
  return `${indexFile}.replaced`;
}

/** An index may be thrown away, and nothing else may: `store.path` could be mistyped. */
function setAsideForeign(indexFile: string): void {
  const stats = lstatSync(indexFile, { throwIfNoEntry: false });
  if (stats?.isFile() !== true || stats.size === 0) return;
  if (indexHeader(indexFile) !== 'foreign') return;
  renameSync(indexFile, setAsideFile(indexFile));
}

/** Pages copied before the event loop turns: large, because the copy is one transaction anyway. */
const PAGES_AT_ONCE = 10_000;
