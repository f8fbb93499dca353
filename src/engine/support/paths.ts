import { existsSync } from 'node:fs';
import { basename, delimiter, dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { systemErrorCode } from '../errors/index.js';
import { isLink, realPath, unlessSystemError } from './files.js';

/** The real path; the given path where it cannot be resolved. */
export function realOrGiven(path: string): string {
  return unlessSystemError(() => realPath(path)) ?? path;
}

/**
 * The real path of a file that may not exist yet; undefined where it cannot be resolved, as with a
 * dangling link.
 */
export function realTarget(path: string): string | undefined {
  try {
    return realPath(path);
  } catch (error) {
    // What another process creates meanwhile is there as well, but no link.
    if (systemErrorCode(error) !== 'ENOENT' || isLink(path)) return undefined;
    const parent = dirname(path);
    const above = parent === path ? undefined : realTarget(parent);
    return above === undefined ? undefined : join(above, basename(path));
  }
}

/** The path of an entry in its real folder, as it is listed there; an entry that is a link itself is not followed. */
export function realEntry(path: string): string {
  const real = isLink(path) ? undefined : unlessSystemError(() => realPath(path));
  return real ?? join(realOrGiven(dirname(path)), basename(path));
}

/** Whether a real path is a folder or inside it. */
export function isInside(path: string, folder: string): boolean {
  return path === folder || pathBelow(path, folder) !== undefined;
}

/** The part of a path below a folder; undefined for the folder itself and anything outside it. */
export function pathBelow(path: string, folder: string): string | undefined {
  const start = folder.endsWith(sep) ? folder : folder + sep;
  return path.startsWith(start) ? path.slice(start.length) : undefined;
}

/** A path, or the nearest folder above it that exists. @param exists follows links by default */
export function nearestExisting(
  path: string,
  exists: (path: string) => boolean = existsSync,
): string {
  let nearest = path;
  while (!exists(nearest) && dirname(nearest) !== nearest) nearest = dirname(nearest);
  return nearest;
}

/** Replaces a leading `~` with the home folder, but not `~name`. */
export function expandHome(path: string, homeDir: string): string {
  if (path === '~') return homeDir;
  return path.startsWith('~/') || path.startsWith('~\\') ? join(homeDir, path.slice(2)) : path;
}

/** The absolute path of a configured one: `~` expanded, relative to `baseDir`. */
export function resolvePath(path: string, baseDir: string, homeDir: string): string {
  return resolve(baseDir, expandHome(path, homeDir));
}

/** Where a configured word was written: in this file; undefined without one. */
export interface WrittenIn {
  readonly file: string | undefined;
}

/** The absolute path of a configured one: `~` expanded, relative to the configuration file. */
export function resolveConfiguredPath(
  { file }: WrittenIn,
  path: string,
  { cwd, homeDir }: { readonly cwd: string; readonly homeDir: string },
): string {
  return resolvePath(path, file === undefined ? cwd : dirname(file), homeDir);
}

/** The folders of PATH. */
export function pathFolders(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  return (env['PATH'] ?? env['Path'] ?? '').split(delimiter).filter((folder) => folder !== '');
}

/**
 * The path of the same program in PATH: it survives updates of package managers, which remove the folder with the version
 * in its name.
 */
export function lastingProgram(
  program: string,
  env: Readonly<Record<string, string | undefined>>,
): string {
  const folders = pathFolders(env).filter((folder) => isAbsolute(folder));
  const files = folders.map((folder) => withoutShell(join(folder, basename(program))));
  const real = realOrGiven(program);
  return files.find((file) => realOrGiven(file) === real) ?? program;
}

/** The version manager fnm links the programs of a version into a folder for each shell, which ends with the shell. */
export function withoutShell(path: string): string {
  return /[\\/]fnm_multishells[\\/]/u.test(path) ? realEntry(path) : path;
}
