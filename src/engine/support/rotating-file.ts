import { closeSync, constants, fstatSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf } from '../errors/index.js';
import { ifThere, makeFolders, PRIVATE_MODE } from './files.js';

/**
 * About a week of a typical server, and small enough for any disk. A file is rotated before it grows
 * beyond `maxBytes`; `keep` rotated files are kept, of which `serve.log.1` is the newest.
 */
const ROTATION = { maxBytes: 5_000_000, keep: 4 };

/** A pipe whose reader does not read must not block the process. */
const OPEN_FLAGS =
  constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | constants.O_NONBLOCK;

/** The path of a rotated file; 1 is the newest. */
function rotatedPath(file: string, age: number): string {
  return `${file}.${age}`;
}

/** The paths of a log and of its rotated files, newest first; any of them may be missing. */
export function logPaths(file: string): readonly string[] {
  const ages = Array.from({ length: ROTATION.keep }, (_, index) => index + 1);
  return [file, ...ages.map((age) => rotatedPath(file, age))];
}

/**
 * An append-only file of bounded size. Writing never throws: if the disk is full or there is no file handle,
 * lines are lost and the process continues. Writing is synchronous, so that the last lines before any kind of
 * exit are kept.
 */
export class RotatingFile {
  private readonly file: string;
  private readonly options: typeof ROTATION;
  private descriptor: number | undefined;
  private bytes = 0;
  /** A line was only partly written: the next starts on a new line. */
  private isTorn = false;
  /** Pipes and devices are not rotated. */
  private isRegular = true;
  private lastFailure: string | undefined;

  constructor(file: string, options = ROTATION) {
    this.file = file;
    this.options = options;
  }

  /** Why the last write failed; undefined if it succeeded. */
  get failure(): string | undefined {
    return this.lastFailure;
  }

  /** Appends a line with its line break; false if it is lost. */
  write(line: string): boolean {
    const text = this.isTorn ? `\n${line}` : line;
    const bytes = Buffer.from(text);
    try {
      const descriptor = this.openFor(bytes.length);
      const written = writeSync(descriptor, bytes);
      this.bytes += written;
      const isPart = written < bytes.length;
      this.isTorn = isPart && (this.isTorn ? written !== 1 : written > 0);
      this.lastFailure = isPart ? `${this.file}: a line was only partly written` : undefined;
    } catch (error) {
      this.lastFailure = messageOf(error);
    }
    return this.lastFailure === undefined;
  }

  /** Closes the file; the next write opens the file that then has its name. */
  close(): void {
    const { descriptor } = this;
    this.descriptor = undefined;
    if (descriptor !== undefined) closeQuietly(descriptor);
  }

  private openFor(more: number): number {
    this.descriptor ??= this.open(this.file);
    if (!this.isFull(more)) return this.descriptor;
    // Another program may have truncated it, such as logrotate with copytruncate.
    this.bytes = fstatSync(this.descriptor).size;
    return this.isFull(more) ? this.rotate(this.descriptor) : this.descriptor;
  }

  private isFull(more: number): boolean {
    return this.isRegular && this.bytes > 0 && this.bytes + more > this.options.maxBytes;
  }

  private open(file: string): number {
    makeFolders(dirname(file));
    const descriptor = openSync(file, OPEN_FLAGS, PRIVATE_MODE);
    const stats = fstatSync(descriptor);
    this.isRegular = stats.isFile();
    this.bytes = stats.size;
    return descriptor;
  }

  /**
   * Rotates the file. The new one is opened first: if that fails, the old one simply keeps growing.
   */
  private rotate(old: number): number {
    const { file } = this;
    const next = `${file}.next`;
    let opened: number;
    try {
      rmSync(next, { force: true });
      opened = openSync(next, OPEN_FLAGS, PRIVATE_MODE);
    } catch {
      return old;
    }
    try {
      for (let age = this.options.keep - 1; age >= 1; age--) {
        ifThere(() => renameSync(rotatedPath(file, age), rotatedPath(file, age + 1)));
      }
      ifThere(() => renameSync(file, rotatedPath(file, 1)));
      renameSync(next, file);
    } catch {
      closeQuietly(opened);
      return old;
    }
    closeQuietly(old);
    this.descriptor = opened;
    this.bytes = 0;
    this.isTorn = false;
    return opened;
  }
}

function closeQuietly(descriptor: number): void {
  try {
    closeSync(descriptor);
  } catch {
    // Nothing can be done about it.
  }
}
