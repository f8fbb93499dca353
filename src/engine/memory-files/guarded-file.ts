import { isUtf8 } from 'node:buffer';
import { lstatSync, realpathSync, rmSync, type Stats } from 'node:fs';
import { dirname, join } from 'node:path';
import { asSvcError, SvcError, systemReason } from '../errors/index.js';
import {
  isReadOnly,
  makeFolders,
  PRIVATE_MODE,
  READ_NO_LINK,
  readRegularFile,
  SHARED_FOLDER_MODE,
  syncFolder,
  unlessSystemError,
} from '../support/files.js';
import { isInside, nearestExisting } from '../support/paths.js';
import { removeStrayTemporaries, replaceFile } from '../support/replace-file.js';
import { shellWord } from '../support/text.js';
import { isWithin } from '../support/time.js';

/** The long-term memory of a workspace. */
export const MEMORY_FILE = 'MEMORY.md';

/** The current state of a file of memory that svc may write. */
export interface GuardedFile {
  readonly path: string;
  /** Empty if the file does not exist. */
  readonly text: string;
  readonly exists: boolean;
  /** Permissions to keep. */
  readonly mode: number;
}

/** The largest file that svc changes. */
export const MOST_FILE_BYTES = 4 * 1024 * 1024;
const PERMISSIONS = 0o777;

/**
 * Reads a file before it is written. Refuses symbolic links, both the file and any folder in its path: a
 * link could redirect the write anywhere.
 *
 * @param dir the workspace's real path
 * @param path relative to it, forward slashes
 * @param mostBytes of a larger file, nothing is read
 * @throws SvcError DREAM_FILE_REFUSED; the system's error if it cannot be read
 */
export function readGuarded(dir: string, path: string, mostBytes = MOST_FILE_BYTES): GuardedFile {
  const file = join(dir, path);
  assertInside(dir, dirname(file), path);
  const stats = savedStats(file);
  if (stats === undefined) return { path: file, text: '', exists: false, mode: PRIVATE_MODE };
  if (stats.isSymbolicLink()) throw refused(path, 'it is a symbolic link');
  if (!stats.isFile()) throw refused(path, 'it is not a regular file');
  if (stats.size > mostBytes) throw refused(path, `it is larger than ${mostBytes / 2 ** 20} MB`);
  // A link that took its place meanwhile would be copied here, to be read by whoever can read this folder.
  const bytes = readRegularFile(file, mostBytes, READ_NO_LINK);
  // Invalid UTF-8 would be changed by writing it back.
  if (!isUtf8(bytes)) throw refused(path, 'it is not UTF-8');
  return { path: file, text: bytes.toString('utf8'), exists: true, mode: stats.mode & PERMISSIONS };
}

/** An editor that saves in place empties the file first; the text may take so long to follow while the disk is busy. */
const SAVING_MS = 1000;
const PAUSE_MS = 20;

/** The stats of a file once nobody is in the middle of saving it; undefined if it does not exist. */
function savedStats(file: string): Stats | undefined {
  for (;;) {
    const stats = lstatSync(file, { throwIfNoEntry: false });
    if (stats?.size !== 0 || !isWithin(stats.mtimeMs, Date.now(), SAVING_MS)) return stats;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
  }
}

/**
 * Replaces a file, creating folders if needed; does nothing if the text is unchanged.
 *
 * @returns whether it has the text now; false if somebody else changed it after it was read, and it stays as it is
 * @throws SvcError DREAM_FILE_REFUSED if it is read-only; the error of the file system
 */
export function writeGuarded(file: GuardedFile, text: string): boolean {
  if (file.exists && file.text === text) return isUnchanged(file);
  requireWritable(file);
  if (!file.exists) makeFolders(dirname(file.path), SHARED_FOLDER_MODE);
  // A killed write may have left a temporary file with text of notes.
  removeStrayTemporaries(dirname(file.path), Date.now());
  try {
    return replaceFile(file.path, text, file.mode, undefined, () => isUnchanged(file));
  } catch (error) {
    // The system's message names the temporary file.
    const known = asSvcError(error);
    if (known === undefined) throw error;
    throw new SvcError(known.code, `cannot write ${file.path}: ${systemReason(error)}`, {
      hint: known.hint ?? '',
      cause: error,
    });
  }
}

function isUnchanged({ path, text, exists }: GuardedFile): boolean {
  if (!exists) return lstatSync(path, { throwIfNoEntry: false }) === undefined;
  const bytes = unlessSystemError(() => readRegularFile(path, undefined, READ_NO_LINK));
  return bytes?.equals(Buffer.from(text)) === true;
}

/** How often a change of a file is planned: again if a person saves the file meanwhile. */
export const MOST_TRIES = 3;

/**
 * Changes a file, from what it contains after the last save of anybody else.
 *
 * @param change the new text; undefined deletes the file
 * @throws SvcError DREAM_FILE_REFUSED, DREAM_MEMORY_BUSY; what the arguments throw
 */
export function changeGuarded(
  read: () => GuardedFile,
  change: (file: GuardedFile) => string | undefined,
): void {
  for (let tries = 1; ; tries++) {
    const file = read();
    const text = change(file);
    if (text === undefined ? removeGuarded(file) : writeGuarded(file, text)) return;
    if (tries < MOST_TRIES) continue;
    throw new SvcError('DREAM_MEMORY_BUSY', `${file.path} keeps changing; it was not written`, {
      hint: 'close the program that writes it, and try again',
    });
  }
}

/**
 * Deletes a file durably, if it exists.
 *
 * @returns whether it is gone; false if somebody else changed it after it was read, and it stays as it is
 * @throws SvcError DREAM_FILE_REFUSED if it is read-only
 */
export function removeGuarded(file: GuardedFile): boolean {
  if (!file.exists) return true;
  requireWritable(file);
  if (!isUnchanged(file)) return false;
  rmSync(file.path, { force: true });
  syncFolder(dirname(file.path));
  return true;
}

/** @throws SvcError DREAM_FILE_REFUSED if it is read-only */
export function requireWritable(file: GuardedFile): void {
  const { path } = file;
  if (isReadOnly(file))
    throw refused(path, 'it is read-only', `run "chmod u+w ${shellWord(path)}"`);
}

function assertInside(dir: string, folder: string, path: string): void {
  const isThere = (at: string) => lstatSync(at, { throwIfNoEntry: false }) !== undefined;
  const existing = nearestExisting(folder, isThere);
  // A link that leads nowhere has no real path.
  if (unlessSystemError(() => realpathSync(existing)) !== existing) {
    throw refused(path, 'its path contains a symbolic link');
  }
  if (!isInside(existing, dir))
    throw refused(path, `${dir} no longer exists`, 'restore the folder');
}

function refused(
  path: string,
  why: string,
  hint = 'replace it with a regular UTF-8 file, or remove it',
): SvcError {
  return new SvcError('DREAM_FILE_REFUSED', `cannot write ${path}: ${why}`, { hint });
}
