import type { Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { systemErrorCode } from '../errors/index.js';
import { placeOf, SecretFault, setCommand } from './secret-fault.js';

/**
 * What the files of secrets and the programs that tell them must be like (facts §3.3). Callers keep
 * the order: absolute, there, no folder, no link, in a trusted folder, permissions, owner, names.
 */
export interface GuardedPath {
  readonly path: string;
  readonly alias: string;
  /** The key of the provider that names the path. */
  readonly key: 'command' | 'path';
  readonly allowInsecurePath: boolean;
}

const OTHERS_WRITE = 0o022;
const OTHERS_READ = 0o044;

/** Looks at a path without following a link at its end. @throws SecretFault */
export async function lookAt(guarded: GuardedPath): Promise<Stats> {
  const { path, alias, key } = guarded;
  const place = `${placeOf(alias)}.${key}`;
  if (!isAbsolute(path)) throw new SecretFault(`${path} is not absolute`, `mend ${place}`);
  try {
    return await lstat(path);
  } catch (error) {
    throw pathFault(guarded, error);
  }
}

/** A failure of the system at a path, in words. */
export function pathFault({ path, alias, key }: GuardedPath, error: unknown): SecretFault {
  const code = systemErrorCode(error) ?? 'unknown error';
  const place = `${placeOf(alias)}.${key}`;
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return new SecretFault(`there is no file ${path}`, `make it, or mend ${place}`);
    case 'EACCES':
    case 'EPERM':
      return new SecretFault(
        `${path} may not be read by this user`,
        'check the permissions of the file and of the folders above it',
      );
    case 'ELOOP':
      return linkFault({ path, alias, key });
    default:
      return new SecretFault(`${path} cannot be read (${code})`, 'check the file system');
  }
}

/** What is said of a symbolic link that may not be one. */
export function linkFault({
  path,
  alias,
  key,
}: Pick<GuardedPath, 'alias' | 'key' | 'path'>): SecretFault {
  const allow = key === 'command' ? `, or ${setCommand(alias, 'allowSymlinkCommand', 'true')}` : '';
  return new SecretFault(
    `${path} is a symbolic link`,
    `set ${placeOf(alias)}.${key} to the file that it leads to${allow}`,
  );
}

/** @throws SecretFault for a folder */
export function refuseFolder({ path, alias, key }: GuardedPath, stats: Stats): void {
  if (!stats.isDirectory()) return;
  throw new SecretFault(`${path} is a folder`, `set ${placeOf(alias)}.${key} to a file`);
}

/** @throws SecretFault for pipes, devices and the like, which may never come to an end */
export function refuseSpecial({ path, alias, key }: GuardedPath, stats: Stats): void {
  if (stats.isFile()) return;
  throw new SecretFault(
    `${path} is not a regular file`,
    `set ${placeOf(alias)}.${key} to a regular file`,
  );
}

/**
 * Refuses what other users may change, or another user owns; with `key` "path" also what others may
 * read. Where the system knows no owners (Windows) nothing can be said, and so nothing passes.
 *
 * @param uid of the current user; undefined where users have none
 * @throws SecretFault
 */
export function refuseInsecure(guarded: GuardedPath, stats: Stats, uid: number | undefined): void {
  const { path, alias, key, allowInsecurePath } = guarded;
  if (allowInsecurePath) return;
  const allow = setCommand(alias, 'allowInsecurePath', 'true');
  if (uid === undefined) {
    throw new SecretFault(`the permissions of ${path} cannot be checked on this system`, allow);
  }
  const mode = (stats.mode & 0o7777).toString(8).padStart(4, '0');
  const chmod = `chmod ${key === 'path' ? '600' : 'go-w'} ${JSON.stringify(path)}`;
  if ((stats.mode & OTHERS_WRITE) !== 0) {
    throw new SecretFault(`other users may change ${path} (mode ${mode})`, chmod);
  }
  if (key === 'path' && (stats.mode & OTHERS_READ) !== 0) {
    throw new SecretFault(`other users may read ${path} (mode ${mode})`, chmod);
  }
  if (stats.uid !== uid) {
    throw new SecretFault(
      `${path} belongs to another user (${stats.uid}, not ${uid})`,
      `make it a file of the user that svc runs as; if you trust that user, ${allow}`,
    );
  }
}

/** The user whose rights this process has; undefined on Windows. */
export function currentUser(): number | undefined {
  return process.geteuid?.();
}
