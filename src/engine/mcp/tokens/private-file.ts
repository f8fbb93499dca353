import { lstatSync, readFileSync, type Stats } from 'node:fs';
import { SvcError, systemReason } from '../../errors/index.js';
import { currentUser } from '../../secrets/index.js';

/** No file of tokens is nearly as large. */
const MAX_BYTES = 1024 * 1024;

/**
 * Reads a file with tokens or their hashes. Refuses one that other users could have read or written.
 *
 * @param hint what to do about a file that is refused
 * @returns undefined if there is no file
 * @throws SvcError MCP_TOKEN_UNUSABLE
 */
export function readPrivateFile(file: string, hint: string): string | undefined {
  try {
    const stats = lstatSync(file, { throwIfNoEntry: false });
    if (stats === undefined) return undefined;
    const fault = faultOf(stats);
    if (fault !== undefined) throw unusable(file, fault, hint);
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw asUnusable(file, cause);
  }
}

function faultOf(stats: Stats): string | undefined {
  if (!stats.isFile()) return 'it is not a regular file';
  if (stats.size > MAX_BYTES) return 'it is too large';
  const user = currentUser();
  // Without file owners, the folder's permissions have to do.
  if (user === undefined) return undefined;
  if (stats.uid !== user) return 'it belongs to another user';
  return (stats.mode & 0o077) === 0 ? undefined : 'it is readable by other users';
}

export function unusable(file: string, why: string, hint: string, cause?: unknown): SvcError {
  return new SvcError('MCP_TOKEN_UNUSABLE', `cannot use the token file ${file}: ${why}`, {
    hint,
    cause,
  });
}

/** A system error as one that names the file. */
export function asUnusable(file: string, cause: unknown): SvcError {
  if (cause instanceof SvcError) return cause;
  const hint = 'check the permissions of the file and its folder';
  return unusable(file, systemReason(cause), hint, cause);
}
