import { isUtf8 } from 'node:buffer';
import { lstatSync, mkdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { SvcError } from '../../errors/index.js';
import { PRIVATE_MODE, replaceFile, syncFolder } from '../../replace-file.js';

/** A file of the workspace that dreaming may write, as it is now. */
export interface GuardedFile {
  readonly path: string;
  /** Empty when the file is not there yet. */
  readonly text: string;
  readonly exists: boolean;
  /** Permissions to keep. */
  readonly mode: number;
}

/** No note is larger, and what is larger is not read whole. */
const MOST_BYTES = 4 * 1024 * 1024;
const PERMISSIONS = 0o777;

/**
 * Reads a file that is about to be written. Links are not followed, neither that of the file nor that of
 * a folder on its way: a link could lead the writing anywhere.
 *
 * @param dir the workspace's real path
 * @param path relative to it, forward slashes
 * @throws SvcError DREAM_FILE_REFUSED; the system's error when it cannot be read
 */
export function readGuarded(dir: string, path: string): GuardedFile {
  const file = join(dir, path);
  assertInside(dir, dirname(file), path);
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return { path: file, text: '', exists: false, mode: PRIVATE_MODE };
  if (stats.isSymbolicLink()) throw refused(path, 'it is a symbolic link');
  if (!stats.isFile()) throw refused(path, 'it is no file');
  if (stats.size > MOST_BYTES) throw refused(path, 'it is larger than 4 MB');
  const bytes = readFileSync(file);
  // What cannot be read as text could not be written back as it was.
  if (!isUtf8(bytes)) throw refused(path, 'it is not UTF-8');
  return { path: file, text: bytes.toString('utf8'), exists: true, mode: stats.mode & PERMISSIONS };
}

/** Replaces such a file; its folders are made when they are not there. Nothing happens when it says so already. */
export function writeGuarded(file: GuardedFile, text: string): void {
  if (file.exists && file.text === text) return;
  if (!file.exists) mkdirSync(dirname(file.path), { recursive: true });
  replaceFile(file.path, text, file.mode);
}

/** Takes such a file away, for good when this returns; nothing happens when it is not there. */
export function removeGuarded(file: GuardedFile): void {
  if (!file.exists) return;
  rmSync(file.path, { force: true });
  syncFolder(dirname(file.path));
}

function assertInside(dir: string, folder: string, path: string): void {
  const existing = nearestFolder(folder);
  const real = realpathSync(existing);
  if (real !== existing || (real !== dir && !real.startsWith(dir + sep))) {
    throw refused(path, 'a folder on its way is a symbolic link');
  }
}

function nearestFolder(folder: string): string {
  return lstatSync(folder, { throwIfNoEntry: false }) === undefined
    ? nearestFolder(dirname(folder))
    : folder;
}

function refused(path: string, why: string): SvcError {
  return new SvcError('DREAM_FILE_REFUSED', `dreaming does not write ${path}: ${why}`, {
    hint: 'put a plain file there, or take it away',
  });
}
