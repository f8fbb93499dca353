import {
  fchmodSync,
  fsyncSync,
  futimesSync,
  lstatSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { syncFolder, unlessSystemError, withFile } from './files.js';

/** The ending of temporary files; a killed process leaves one behind. */
export const TEMPORARY_ENDING = '.svc.tmp';

/**
 * Replaces a file atomically and durably. Its folder must exist.
 *
 * @param mode permissions of the new file
 * @param modified when it says that it was modified; default: now
 * @param isWanted asked once the new content is on disk, which takes most of the time; otherwise the old file stays
 * @returns whether it was replaced
 * @throws the system's error, with the old file unchanged
 */
export function replaceFile(
  file: string,
  content: string | Uint8Array,
  mode: number,
  modified?: Date | number,
  isWanted: () => boolean = () => true,
): boolean {
  const temporary = temporaryFor(file);
  try {
    writeDurably(temporary, content, mode, modified);
    if (!isWanted()) {
      rmSync(temporary, { force: true });
      return false;
    }
    renameSync(temporary, file);
  } catch (error) {
    // Where that fails as well, the first failure says more.
    unlessSystemError(() => rmSync(temporary, { force: true }));
    // Nobody knows the temporary file, and the error of a descriptor names none.
    throw error instanceof Error ? Object.assign(error, { path: file }) : error;
  }
  syncFolder(dirname(file));
  return true;
}

/** A path in the folder of a file for its next content, which is to be created exclusively. */
export function temporaryFor(file: string): string {
  // Loading crypto for a random name would cost a start 3 ms.
  const name = Math.floor(Math.random() * 2 ** 48).toString(16);
  return join(dirname(file), `.${name.padStart(12, '0')}${TEMPORARY_ENDING}`);
}

function writeDurably(
  file: string,
  content: string | Uint8Array,
  mode: number,
  modified: Date | number | undefined,
): void {
  withFile(file, 'wx', (descriptor) => {
    writeFileSync(descriptor, content);
    // Separately, since the mode of open() is subject to the umask.
    fchmodSync(descriptor, mode);
    fsyncSync(descriptor);
    // Last, since an old temporary file is taken for one that a killed process left.
    if (modified !== undefined) futimesSync(descriptor, modified, modified);
  });
}

/** Younger temporary files may still be being written, on a slow machine. */
export const WRITING_MS = 10 * 60_000;

const TEMPORARY_NAME = /^\.[\da-f]{12}\.svc\.tmp$/u;

/** Whether a name is that of a temporary file of {@link replaceFile}. */
export function isTemporaryName(name: string): boolean {
  return TEMPORARY_NAME.test(name);
}

/**
 * Removes the temporary files that killed writers left in a folder.
 *
 * @throws the system's error
 */
export function removeStrayTemporaries(folder: string, nowMs: number): void {
  const names = readdirSync(folder).filter(isTemporaryName);
  for (const name of names) removeStrayTemporary(join(folder, name), nowMs);
}

/**
 * Removes one temporary file, unless a process may still be writing it.
 *
 * @throws the system's error
 */
export function removeStrayTemporary(path: string, nowMs: number): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isFile() === true && stats.mtimeMs < nowMs - WRITING_MS) rmSync(path, { force: true });
}
