import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  futimesSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, delimiter, dirname, join, resolve, sep } from 'node:path';
import { systemErrorCode } from '../errors/index.js';

/** Readable by its owner only: for every file that may contain a secret. */
export const PRIVATE_MODE = 0o600;

/** The ending of temporary files; a killed process leaves one behind. */
export const TEMPORARY_ENDING = '.svc.tmp';

/**
 * Replaces a file atomically and durably. Its folder must exist.
 *
 * @param mode permissions of the new file
 * @param modified when it says that it was modified; default: now
 * @throws the system's error, with the old file unchanged
 */
export function replaceFile(
  file: string,
  content: string | Uint8Array,
  mode: number,
  modified?: Date | number,
): void {
  const temporary = temporaryFor(file);
  try {
    writeDurably(temporary, content, mode, modified);
    renameSync(temporary, file);
  } catch (error) {
    // Where that fails as well, the first failure says more.
    ifReadable(() => rmSync(temporary, { force: true }));
    // Nobody knows the temporary file, and the error of a descriptor names none.
    throw error instanceof Error ? Object.assign(error, { path: file }) : error;
  }
  syncFolder(dirname(file));
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

/** Makes renames in a folder durable, where the system can sync folders. */
export function syncFolder(folder: string): void {
  try {
    withFile(folder, 'r', fsyncSync);
  } catch {
    // Some systems cannot open a folder, and Windows cannot sync one.
  }
}

/** Syncs a file to disk. @throws the system's error */
export function syncFile(file: string): void {
  // Windows syncs only what is open for writing.
  withFile(file, 'r+', fsyncSync);
}

/** Folders that a person or another program reads too: what its umask allows. */
export const SHARED_FOLDER_MODE = 0o777;

/** Whether nobody may write a file with this mode. Replacing or deleting it would ignore that. */
export function isReadOnly({ mode }: Pick<Stats, 'mode'>): boolean {
  return (mode & 0o222) === 0;
}

/**
 * Creates a folder and those above it, for their owner only unless another mode is given. Node's `recursive` would
 * never return where nothing can be created although the folder above exists, as below /proc.
 *
 * @throws the system's error
 */
export function makeFolders(folder: string, mode = 0o700): void {
  try {
    makeFolder(folder, mode);
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw error;
    const above = dirname(folder);
    if (!isLink(above)) makeFolders(above, mode);
    // Another process may have created the folder above since.
    makeFolder(folder, mode);
  }
}

function makeFolder(folder: string, mode: number): void {
  try {
    mkdirSync(folder, mode);
  } catch (error) {
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) throw error;
  }
}

/** Opens a file for some work and closes it. What is created is private. @throws the system's error */
export function withFile<T>(
  file: string,
  flags: number | string,
  work: (descriptor: number) => T,
): T {
  const descriptor = openSync(file, flags, PRIVATE_MODE);
  try {
    return work(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** For opening a file to read it: follows no link swapped in meanwhile, and does not block on a pipe. */
export const READ_NO_LINK =
  constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Reads a regular file, and refuses a named pipe instead of waiting for a writer.
 *
 * @param most bytes that are read at once
 * @param flags follow a link by default
 * @throws the system's error; one like it with the code `EFTYPE` for what is not a file, `EFBIG` for a larger one
 */
export function readRegularFile(
  file: string,
  most = Number.POSITIVE_INFINITY,
  flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0),
): Buffer {
  return withFile(file, flags, (descriptor) => {
    const stats = fstatSync(descriptor);
    requireFile(stats);
    if (stats.size > most) throw systemErrorLike('EFBIG');
    return contentOf(descriptor, most);
  });
}

/**
 * Reads a file that a person names on the command line, which may be a pipe, such as `<(program)` of a shell.
 *
 * @throws the system's error; one like it with the code `EFBIG` for more than `most` bytes
 */
export function readNamedFile(file: string, most: number): Buffer {
  return withFile(file, 'r', (descriptor) => contentOf(descriptor, most));
}

const PART_BYTES = 64 * 1024;

function contentOf(descriptor: number, most: number): Buffer {
  const parts: Buffer[] = [];
  let bytes = 0;
  for (;;) {
    const part = Buffer.allocUnsafe(PART_BYTES);
    const read = readSync(descriptor, part);
    if (read === 0) return Buffer.concat(parts, bytes);
    parts.push(part.subarray(0, read));
    bytes += read;
    if (bytes > most) throw systemErrorLike('EFBIG');
  }
}

/**
 * The file to replace for a path that a person named: renaming a file to `/dev/null` would remove the device, and to a
 * link, the link.
 *
 * @throws as {@link requireFile}, for what is there already
 */
export function replaceableTarget(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return file;
  requireFile(stats);
  return realpathSync(file);
}

/** @throws like the system: EISDIR for a folder, EFTYPE for a named pipe or a device */
export function requireFile(stats: Stats): void {
  if (!stats.isFile()) throw systemErrorLike(stats.isDirectory() ? 'EISDIR' : 'EFTYPE');
}

export function systemErrorLike(code: 'EFBIG' | 'EFTYPE' | 'EISDIR'): Error {
  return Object.assign(new Error(code), { code });
}

/** Reads at most `length` bytes of a file. */
export function readPart(file: string, from: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return withFile(file, 'r', (descriptor) => {
    return bytes.subarray(0, readSync(descriptor, bytes, 0, length, from));
  });
}

/** The real path; the given path where it cannot be resolved. */
export function realOrGiven(path: string): string {
  return ifReadable(() => realpathSync(path)) ?? path;
}

/**
 * The real path of a file that may not exist yet; undefined where it cannot be resolved, as with a
 * dangling link.
 */
export function realTarget(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch (error) {
    // What another process creates meanwhile is there as well, but no link.
    if (systemErrorCode(error) !== 'ENOENT' || isLink(path)) return undefined;
    const parent = dirname(path);
    const above = parent === path ? undefined : realTarget(parent);
    return above === undefined ? undefined : join(above, basename(path));
  }
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

/** A path that cannot be looked at may be one. */
function isLink(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  } catch {
    return true;
  }
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

/** What is read; undefined where there is no such file. @throws the system's other errors */
export function ifThere<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** What is read; undefined where the system cannot read it. */
export function ifReadable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (systemErrorCode(error) !== undefined) return undefined;
    throw error;
  }
}

/**
 * A text that changes when one of these files, or what a link leads to, is written, created, replaced or deleted, and
 * with its permissions. An empty file counts as missing, since SQLite leaves empty logs behind.
 */
export function fileStamp(files: readonly string[]): string {
  const all = files.map((file) => ifReadable(() => statSync(file, { throwIfNoEntry: false })));
  return all
    .map((one) => (one?.size ? [one.ino, one.size, one.mtimeMs, one.ctimeMs].join('.') : '-'))
    .join(' ');
}

/** The names in a folder; empty where it cannot be read. */
export function namesIn(folder: string): readonly string[] {
  return ifReadable(() => readdirSync(folder)) ?? [];
}

/** The folders of PATH. */
export function pathFolders(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  return (env['PATH'] ?? env['Path'] ?? '').split(delimiter).filter((folder) => folder !== '');
}
