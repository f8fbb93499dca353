import { join, resolve } from 'node:path';

/** Replaces a leading `~` by the person's home folder. `~name` is left alone. */
export function expandHome(path: string, homeDir: string): string {
  if (path === '~') return homeDir;
  return path.startsWith('~/') || path.startsWith('~\\') ? join(homeDir, path.slice(2)) : path;
}

/** The absolute path meant by a configured one: `~` expanded, relative to `baseDir`. */
export function resolvePath(path: string, baseDir: string, homeDir: string): string {
  return resolve(baseDir, expandHome(path, homeDir));
}
