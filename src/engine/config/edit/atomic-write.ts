import { mkdirSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { SvcError, systemErrorCode } from '../../errors/index.js';
import { PRIVATE_MODE, replaceFile } from '../../replace-file.js';

/**
 * Replaces a configuration file in one step. A symbolic link stays a link; the file it leads to is
 * replaced and keeps its mode. Missing folders are made.
 *
 * @throws SvcError CONFIG_WRITE_FAILED; the old file is unchanged then
 */
export function writeFileAtomically(file: string, text: string): void {
  try {
    const target = followLink(file);
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
    replaceFile(target, text, modeOf(target));
  } catch (cause) {
    throw new SvcError(
      'CONFIG_WRITE_FAILED',
      `${file} could not be written (${systemErrorCode(cause) ?? 'unknown error'})`,
      { hint: 'check the permissions of its folder and the free space', cause },
    );
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

/** Configuration may hold plain-text secrets, so a new file is for its owner alone. */
function modeOf(file: string): number {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat === undefined ? PRIVATE_MODE : stat.mode & 0o7777;
}
