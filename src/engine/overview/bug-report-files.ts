import { lstatSync, readdirSync, statfsSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { systemReason } from '../errors/index.js';
import { namesIn, readPart, unlessSystemError } from '../support/files.js';
import { formatMode } from '../support/format.js';
import { logPaths } from '../support/rotating-file.js';

/** Folders that svc itself fills; their entries are listed as well. */
const OWN_FOLDERS: ReadonlySet<string> = new Set(['auth', 'logs', 'memory', 'models', 'runtimes']);

/** Names of files that svc creates. Notes in the same folder have other names. */
const OWN_NAME =
  /^(?:svc(?:\.schema)?\.json|serve\.\w+|local[.-][\w.-]+|github-copilot[\w.-]*\.json)$|\.(?:gguf|lock|log|sqlite)(?:[.-][\w.-]+)?$|\.svc\.tmp$/u;

/** Lists the files of a state folder that are svc's own; of others, only their number. */
export function stateFolderFacts(dir: string) {
  try {
    const paths = readdirSync(dir).flatMap((name) => [
      name,
      ...(OWN_FOLDERS.has(name) ? namesIn(join(dir, name)).map((inner) => join(name, inner)) : []),
    ]);
    const ownPaths = paths.filter((path) => OWN_FOLDERS.has(path) || OWN_NAME.test(basename(path)));
    return {
      files: ownPaths.flatMap((path) => factsOf(dir, path)),
      others: paths.length - ownPaths.length,
      unreadable: null,
      freeBytes: freeBytes(dir),
    };
  } catch (error) {
    return { files: [], others: 0, unreadable: systemReason(error), freeBytes: null };
  }
}

/** Empty for a file that was deleted meanwhile. */
function factsOf(dir: string, path: string) {
  const stats = lstatSync(join(dir, path), { throwIfNoEntry: false });
  if (stats === undefined) return [];
  return [
    {
      path,
      kind: stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : 'other',
      bytes: stats.size,
      mode: formatMode(stats.mode),
      changed: stats.mtime.toISOString(),
    },
  ];
}

/** What this user can still write there; null where unknown. */
function freeBytes(dir: string): number | null {
  const stats = unlessSystemError(() => statfsSync(dir));
  return stats === undefined ? null : stats.bavail * stats.bsize;
}

const MAX_LOG_BYTES = 256 * 1024;
const MAX_LOGS = 3;
/** Longer names do not fit the archive, and no log of svc has one. */
const LOG_NAME = /^[\w.-]{1,64}$/u;

/**
 * The ends of the newest logs; none when there are none.
 *
 * @param logFile the log that the configuration names; undefined means those below the state folder
 */
export function recentLogs(stateDir: string, logFile: string | undefined): readonly TarFile[] {
  return logsIn(stateDir, logFile)
    .flatMap((path) => {
      const changedMs = logTime(path);
      return changedMs === undefined ? [] : [{ path, changedMs }];
    })
    .toSorted((a, b) => b.changedMs - a.changedMs)
    .slice(0, MAX_LOGS)
    .flatMap(({ path }) => {
      const content = endOf(path);
      return content === undefined ? [] : [{ name: `logs/${basename(path)}`, content }];
    });
}

/** Next to a configured log may be files of the user, so only its own names count there. */
function logsIn(stateDir: string, logFile: string | undefined): readonly string[] {
  if (logFile !== undefined) return logPaths(logFile);
  const dir = join(stateDir, 'logs');
  return namesIn(dir).map((name) => join(dir, name));
}

/** When a log was last changed; undefined if this is not a log that can be read. */
function logTime(path: string): number | undefined {
  const name = basename(path);
  if (!LOG_NAME.test(name) || name.endsWith('.gz')) return undefined;
  const stats = unlessSystemError(() => statSync(path));
  return stats?.isFile() === true ? stats.mtimeMs : undefined;
}

/** Whole lines only: half a secret in a cut line would not be recognized. */
function endOf(path: string): Buffer | undefined {
  return unlessSystemError(() => {
    const from = Math.max(0, statSync(path).size - MAX_LOG_BYTES);
    const read = readPart(path, from, MAX_LOG_BYTES);
    return from === 0 ? read : read.subarray(read.indexOf(0x0a) + 1);
  });
}

/** A file of an archive. */
export interface TarFile {
  /** Relative, with forward slashes; at most 100 bytes. */
  readonly name: string;
  readonly content: Buffer;
}

const BLOCK_BYTES = 512;

/**
 * A tar archive of a few small files, in the POSIX.1-1988 format (ustar). Files have no owner and mode
 * 0600.
 *
 * @param atMs when the files were changed, in milliseconds since the epoch
 */
export function tarOf(files: readonly TarFile[], atMs: number): Buffer {
  const blocks = files.flatMap(({ name, content }) => [
    header(name, content.length, atMs),
    content,
    Buffer.alloc((BLOCK_BYTES - (content.length % BLOCK_BYTES)) % BLOCK_BYTES),
  ]);
  // The archive ends with two zero blocks.
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK_BYTES)]);
}

function header(name: string, bytes: number, atMs: number): Buffer {
  if (Buffer.byteLength(name) > 100) throw new RangeError(`too long for an archive: ${name}`);
  const block = Buffer.alloc(BLOCK_BYTES);
  const octal = (value: number, offset: number, width: number): void => {
    block.write(`${value.toString(8).padStart(width - 1, '0')}\0`, offset, 'ascii');
  };
  block.write(name, 0, 'utf8');
  octal(0o600, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(bytes, 124, 12);
  octal(Math.max(0, Math.floor(atMs / 1000)), 136, 12);
  // The checksum is computed with spaces in its own field.
  block.write(' '.repeat(8), 148, 'ascii');
  block.write('0', 156, 'ascii');
  block.write('ustar\u000000', 257, 'ascii');
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'ascii');
  return block;
}
