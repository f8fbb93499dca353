import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { SvcError, systemErrorCode } from '../../errors/index.js';
import { syncToDisk } from '../../sync-to-disk.js';

/** Configuration may hold plain-text secrets, so a new file is for its owner alone. */
const NEW_FILE_MODE = 0o600;

/**
 * Replaces a file in one step: readers see the old text or the new one, never a part. A symbolic
 * link stays a link; the file it leads to is replaced and keeps its mode. Missing folders are made.
 *
 * @throws SvcError CONFIG_WRITE_FAILED; the old file is unchanged then
 */
export function writeFileAtomically(file: string, text: string): void {
  let temporary: string | undefined;
  try {
    const target = followLink(file);
    mkdirSync(dirname(target), { recursive: true });
    temporary = join(dirname(target), `.${randomBytes(6).toString('hex')}.svc.tmp`);
    writeDurably(temporary, text, modeOf(target));
    renameSync(temporary, target);
    temporary = undefined;
    syncFolder(dirname(target));
  } catch (cause) {
    throw new SvcError(
      'CONFIG_WRITE_FAILED',
      `${file} could not be written (${systemErrorCode(cause) ?? 'unknown error'})`,
      { hint: 'check the permissions of its folder and the free space', cause },
    );
  } finally {
    if (temporary !== undefined) rmSync(temporary, { force: true });
  }
}

function followLink(file: string): string {
  try {
    return realpathSync(file);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return file;
    throw error;
  }
}

function modeOf(file: string): number {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat === undefined ? NEW_FILE_MODE : stat.mode & 0o7777;
}

function writeDurably(file: string, text: string, mode: number): void {
  const descriptor = openSync(file, 'wx', NEW_FILE_MODE);
  try {
    writeFileSync(descriptor, text);
    // Set apart from opening, which takes the umask off.
    fchmodSync(descriptor, mode);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Makes the rename itself survive a crash, where the system lets folders be synced. */
function syncFolder(folder: string): void {
  try {
    syncToDisk(folder);
  } catch {
    // The new text is in place already; some systems cannot open a folder.
  }
}
