import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { syncToDisk } from './sync-to-disk.js';

/** For its owner alone: what every file that may hold a secret gets. */
export const PRIVATE_MODE = 0o600;

/** How the files end that are not in their place yet; a killed process leaves one behind. */
export const TEMPORARY_ENDING = '.svc.tmp';

/**
 * Replaces a file in one step: readers see the old text or the new one, never a part, and a power
 * cut leaves one of the two. Its folder must be there.
 *
 * @param mode permissions of the new file
 * @throws the system's error; the old file is unchanged then
 */
export function replaceFile(file: string, content: string | Uint8Array, mode: number): void {
  const temporary = join(dirname(file), `.${randomBytes(6).toString('hex')}${TEMPORARY_ENDING}`);
  try {
    writeDurably(temporary, content, mode);
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  syncFolder(dirname(file));
}

function writeDurably(file: string, content: string | Uint8Array, mode: number): void {
  const descriptor = openSync(file, 'wx', PRIVATE_MODE);
  try {
    writeFileSync(descriptor, content);
    // Set apart from opening, which takes the umask off.
    fchmodSync(descriptor, mode);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Makes what happened to a folder's names survive a crash, where the system lets folders be synced. */
export function syncFolder(folder: string): void {
  try {
    syncToDisk(folder);
  } catch {
    // It has happened already; some systems cannot open a folder.
  }
}
