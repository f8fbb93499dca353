import { promises, type Stats } from 'node:fs';
import { isAbsolute } from 'node:path';
import { systemErrorCode, systemReason } from '../errors/index.js';
import { formatMode } from '../support/format.js';
import { shellWord } from '../support/text.js';
import { howToSet, placeOf, SecretFault } from './secret-context.js';

/**
 * A secret file or secret program, and the rules for it (facts §3.3). Callers check in this order:
 * absolute, exists, not a link, a regular file, in a trusted folder, permissions, owner, names.
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

/** The stats of a path; a final link is not followed. @throws SecretFault */
export async function statGuarded(guarded: GuardedPath): Promise<Stats> {
  const { path, alias, key } = guarded;
  const setting = `${placeOf(alias)}.${key}`;
  if (!isAbsolute(path)) throw new SecretFault(`${path} is not absolute`, `fix ${setting}`);
  return orPathFault(guarded, promises.lstat(path));
}

/** What a step with a path returns. @throws SecretFault for a system error */
export function orPathFault<T>(guarded: GuardedPath, step: Promise<T>): Promise<T> {
  return step.catch((error: unknown) => {
    throw pathFault(guarded, error);
  });
}

/** The fault for a system error. */
export function pathFault({ path, alias, key }: GuardedPath, error: unknown): SecretFault {
  const setting = `${placeOf(alias)}.${key}`;
  switch (systemErrorCode(error)) {
    case 'ENOENT':
    case 'ENOTDIR':
      return new SecretFault(`${path} does not exist`, `create it, or fix ${setting}`);
    case 'EACCES':
    case 'EPERM':
      return new SecretFault(
        `${path} cannot be read by this user`,
        'check the permissions of the file and of the folders above it',
      );
    case 'ELOOP':
      return linkFault({ path, alias, key });
    default:
      return new SecretFault(
        `${path} cannot be read: ${systemReason(error)}`,
        'check the file system',
      );
  }
}

export function linkFault({
  path,
  alias,
  key,
}: Pick<GuardedPath, 'alias' | 'key' | 'path'>): SecretFault {
  const allow = key === 'command' ? `, or ${howToSet(alias, 'allowSymlinkCommand', 'true')}` : '';
  return new SecretFault(
    `${path} is a symbolic link`,
    `set ${placeOf(alias)}.${key} to the target of the link${allow}`,
  );
}

/** @throws SecretFault for folders, and for pipes, devices and the like, which may never end */
export function requireGuardedFile({ path, alias, key }: GuardedPath, stats: Stats): void {
  if (stats.isFile()) return;
  const [is, file] = stats.isDirectory()
    ? ['a folder', 'a file']
    : ['not a regular file', 'a regular file'];
  throw new SecretFault(`${path} is ${is}`, `set ${placeOf(alias)}.${key} to ${file}`);
}

/**
 * Refuses files that other users can change or own, and with `key` "path" also those that they can
 * read. Where the system has no owners (Windows), everything is refused.
 *
 * @param uid of the current user; undefined where users have none
 * @throws SecretFault
 */
export function refuseInsecure(guarded: GuardedPath, stats: Stats, uid: number | undefined): void {
  const { path, alias, key, allowInsecurePath } = guarded;
  if (allowInsecurePath) return;
  const allow = howToSet(alias, 'allowInsecurePath', 'true');
  if (uid === undefined) {
    throw new SecretFault(`the permissions of ${path} cannot be checked on this system`, allow);
  }
  const mode = formatMode(stats.mode);
  const chmod = `chmod ${key === 'path' ? '600' : 'go-w'} ${shellWord(path)}`;
  if ((stats.mode & OTHERS_WRITE) !== 0) {
    throw new SecretFault(`${path} is writable by other users (${mode})`, chmod);
  }
  if (key === 'path' && (stats.mode & OTHERS_READ) !== 0) {
    throw new SecretFault(`${path} is readable by other users (${mode})`, chmod);
  }
  if (stats.uid !== uid) {
    throw new SecretFault(
      `${path} belongs to another user (${stats.uid}, not ${uid})`,
      `change its owner to the user that svc runs as; if you trust that user, ${allow}`,
    );
  }
}

/** The effective user of this process; undefined on Windows. */
export function currentUser(): number | undefined {
  return process.geteuid?.();
}
