import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { systemErrorCode } from '../errors/index.js';

/** Readable by its owner only: for every file that may contain a secret. */
export const PRIVATE_MODE = 0o600;

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
    if (!isFolder(folder)) throw error;
  }
}

/** Whether there is a folder, or a link to one. @throws the system's error if the path cannot be looked at */
export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** A path that cannot be looked at may be one. */
export function isLink(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  } catch {
    return true;
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

/**
 * The real path, with names as the folders list them: where case is ignored, as on macOS, `realpathSync` keeps what was
 * typed, and a file would be another one under each spelling.
 *
 * @throws the system's error
 */
export function realPath(path: string): string {
  return realpathSync.native(path);
}

/** For opening a file to read it: does not block on a pipe. */
export const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** The same; follows no link swapped in meanwhile. */
export const READ_NO_LINK = READ | (constants.O_NOFOLLOW ?? 0);

/**
 * Whether an open file is still the one at a path without links, or was replaced since. Not if a folder in the path was
 * swapped for a link before it was opened: {@link READ_NO_LINK} is about the file itself only.
 */
export function isOpenedAt(descriptor: number, path: string): boolean {
  // Looking at the path again could be tricked by swapping it back.
  const opened = unlessSystemError(() => readlinkSync(`/proc/self/fd/${descriptor}`));
  if (opened !== undefined) {
    return [path, `${path} (deleted)`].some((one) => sameName(one) === sameName(opened));
  }
  const folder = dirname(path);
  return unlessSystemError(() => realpathSync(folder)) === folder;
}

/** Some disks take names in any case and form of Unicode for the same. */
function sameName(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

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
  flags = READ,
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
  return realPath(file);
}

/** @throws like the system: EISDIR for a folder, EFTYPE for a named pipe or a device */
export function requireFile(stats: Stats): void {
  if (!stats.isFile()) throw systemErrorLike(stats.isDirectory() ? 'EISDIR' : 'EFTYPE');
}

export function systemErrorLike(code: 'EFBIG' | 'EFTYPE' | 'EISDIR' | 'ELOOP'): Error {
  return Object.assign(new Error(code), { code });
}

/** Reads at most `length` bytes of a file. */
export function readPart(file: string, from: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return withFile(file, READ, (descriptor) => {
    return bytes.subarray(0, readSync(descriptor, bytes, 0, length, from));
  });
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

/** What work with files returns; undefined where the system refuses it, such as to read one. */
export function unlessSystemError<T>(work: () => T): T | undefined {
  try {
    return work();
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
  const all = files.map((file) =>
    unlessSystemError(() => statSync(file, { throwIfNoEntry: false })),
  );
  return all
    .map((one) => (one?.size ? [one.ino, one.size, one.mtimeMs, one.ctimeMs].join('.') : '-'))
    .join(' ');
}

/** The names in a folder; empty where it cannot be read. */
export function namesIn(folder: string): readonly string[] {
  return unlessSystemError(() => readdirSync(folder)) ?? [];
}
