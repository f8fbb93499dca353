import { closeSync, existsSync, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { messageOf, SvcError, systemErrorCode } from '../errors/index.js';
import { closing } from '../support/async.js';
import { isFolder } from '../support/files.js';
import type { Connection, Driver, OpenOptions } from './connection.js';
import { findNodeDriver } from './node-driver.js';
import { queryValue } from './query.js';

export type { Connection } from './connection.js';

/** Opens an existing file. */
export function openDatabase(
  file: string,
  { readonly, busyTimeoutMs }: { readonly readonly: boolean; readonly busyTimeoutMs: number },
): Connection {
  return connect(file, { readonly, fileMustExist: true, timeout: busyTimeoutMs });
}

/** Opens a file, creating it if needed, private to its owner. */
export function createDatabase(file: string, busyTimeoutMs: number): Connection {
  createFile(file);
  return connect(file, { timeout: busyTimeoutMs });
}

/**
 * An existing file is not even opened: closing any descriptor of it would drop the locks of other connections
 * in this process (https://sqlite.org/howtocorrupt.html, §2.2).
 */
function createFile(file: string): void {
  try {
    closeSync(openSync(file, 'ax', 0o600));
  } catch (error) {
    if (systemErrorCode(error) !== 'EEXIST') throw error;
  }
}

/**
 * Runs work in one transaction, with the lock for writing from its beginning: no other writer can
 * change in between what the work has read.
 */
export function inWriteTransaction<Result>(database: Connection, work: () => Result): Result {
  return database.transaction(work).immediate();
}

/** Runs work in a transaction that is rolled back at the end, so that only the work sees what it writes. */
export async function inRolledBackTransaction<Result>(
  database: Connection,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  database.exec('BEGIN IMMEDIATE');
  try {
    return await work();
  } finally {
    database.exec('ROLLBACK');
  }
}

/**
 * Replaces the content of a database with that of another one, in one transaction, once no other connection writes it.
 *
 * @throws an error that means "busy" to {@link databaseFault} if another connection keeps writing
 */
export async function replaceContent(target: Connection, source: Connection): Promise<void> {
  // Waits for a writer, which copying does not do. It also keeps the log open, so that the copy's connection is not the
  // last one: see closeWriter.
  inWriteTransaction(target, () => undefined);
  const { totalPages } = await source.backup(target.name, { progress: () => PAGES_AT_ONCE });
  // Without the lock, nothing is copied, and that is not an error to better-sqlite3.
  if (totalPages > 0) return;
  throw Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' });
}

/** Pages copied per event loop turn: many, because the copy is one transaction anyway. */
const PAGES_AT_ONCE = 10_000;

/**
 * Closes a connection that wrote. Closing the last connection of a file moves the log into it, which blocks readers. So
 * the log is moved before, while others can still read.
 */
export function closeWriter(database: Connection): void {
  try {
    database.pragma('wal_checkpoint(PASSIVE)');
  } catch {
    // What cannot be moved stays in the log, as when SQLite moves it while closing.
  } finally {
    database.close();
  }
}

/** Checking a larger file for damage would take seconds. */
export const MOST_CHECKED_BYTES = 256 * 1024 * 1024;

/**
 * The first problem that SQLite finds in a database file; undefined if it is sound. Reads the whole file, about a
 * second for a few hundred megabytes, and blocks the event loop.
 *
 * @throws SvcError SQLITE_UNUSABLE; file system errors
 */
export function integrityComplaint(file: string): string | undefined {
  try {
    using database = closing(openDatabase(file, { readonly: true, busyTimeoutMs: 1000 }));
    const found = queryValue<string>(database, 'PRAGMA quick_check(1)');
    return found === 'ok' ? undefined : found;
  } catch (error) {
    if (databaseFault(error) === 'corrupt') return messageOf(error);
    throw error;
  }
}

/** Opens a copy of these bytes for reading; without any, an empty database in memory. */
export function openDatabaseBytes(bytes: Buffer): Connection {
  return connect(bytes, {});
}

/** Runs work with an empty database in memory, to find out about SQLite itself. @throws SvcError SQLITE_UNUSABLE */
export function withEmptyDatabase<T>(use: (database: Connection) => T): T {
  using database = closing(openDatabaseBytes(Buffer.alloc(0)));
  return use(database);
}

export function sqliteVersion(database: Connection): string {
  return String(queryValue(database, 'SELECT sqlite_version()'));
}

/** The driver of this process, and why it is not better-sqlite3. @throws SvcError SQLITE_UNUSABLE */
export function sqliteDriver(): { readonly name: Driver['name']; readonly why: string | null } {
  const { driver, why } = chosenDriver();
  return { name: driver.name, why };
}

function connect(source: Buffer | string, options: OpenOptions): Connection {
  const { driver } = chosenDriver();
  try {
    const database = driver.connect(source, options);
    // On macOS, syncing alone leaves data in the cache of the disk, so that a power failure while the log is moved into
    // the file could damage it. Other systems ignore this.
    if (options.readonly !== true) database.pragma('checkpoint_fullfsync = ON');
    return database;
  } catch (error) {
    // Containers create one in the place of a file that is mounted before it exists.
    if (error instanceof Error && typeof source === 'string' && isFolder(source)) {
      error.message = 'it is a folder';
    }
    throw error;
  }
}

interface DriverChoice {
  readonly driver: Driver;
  /** Why better-sqlite3 cannot be used; `null` if it is. */
  readonly why: string | null;
}

let chosen: DriverChoice | undefined;

/** Chosen with the first database, since a native module that cannot be loaded never can be. */
function chosenDriver(): DriverChoice {
  chosen ??= chooseDriver();
  return chosen;
}

/**
 * better-sqlite3 is an optional dependency, since it has to be compiled where its authors provide no file.
 *
 * @throws SvcError SQLITE_UNUSABLE if its native module is missing, damaged or built for another Node.js, and this
 * Node.js has no SQLite of its own
 */
function chooseDriver(): DriverChoice {
  try {
    return { driver: openBetterSqlite(), why: null };
  } catch (error) {
    const code = systemErrorCode(error) ?? '';
    const failure = LOAD_FAILURES[code];
    const why = failure ?? `is damaged (${messageOf(error)})`;
    const driver = findNodeDriver();
    if (driver !== undefined) return { driver, why: `its native module ${why}` };
    throw new SvcError('SQLITE_UNUSABLE', `SQLite cannot be loaded: its native module ${why}`, {
      hint: loadHint(code === UNFIT || failure === undefined),
      cause: error,
    });
  }
}

const NODE_MAJOR = Number.parseInt(process.versions.node, 10);
/** Its built files use this version of Node-API, which Node.js 22.14 brought; others end with a segmentation fault. */
const RUNS_13 = Number(process.versions['napi']) >= 10;

/**
 * npm installs better-sqlite3 13 from Node.js 22 on, with built files, and 12 on Node.js 20, where 13 does not run.
 * 12 in turn aborts Node.js 24.19 and newer during garbage collection: its objects look for an environment that is
 * not there ("Assertion failed: (env) != nullptr" in RemoveEnvironmentCleanupHook).
 *
 * @throws the error of Node.js if the package or its native module cannot be loaded; one with the code UNFIT
 */
export function openBetterSqlite(): Driver {
  const { version }: { readonly version: string } = requireHere(`${PACKAGE}/package.json`);
  const release = Number.parseInt(version, 10);
  if (release < 13 ? NODE_MAJOR >= 24 : !RUNS_13) {
    const message = `${PACKAGE} ${version} is not for Node.js ${process.version}`;
    throw Object.assign(new Error(message), { code: UNFIT });
  }
  if (release >= 13) {
    const Newer: typeof Database = requireHere(PACKAGE);
    // Loads its native module now: a failure chooses the other driver.
    new Newer(':memory:').close();
    return { name: PACKAGE, connect: (source, options) => new Newer(source, options) };
  }
  // Its code is bundled if the build found it installed.
  const bundled: typeof Database | undefined = Database;
  const Older: typeof Database = bundled ?? requireHere(PACKAGE);
  // Passing its path saves a search of 3 ms with every start, and opening a database to load it 1 ms.
  const nativeBinding = requireHere.resolve(`${PACKAGE}/build/Release/better_sqlite3.node`);
  requireHere(nativeBinding);
  return {
    name: PACKAGE,
    connect: (source, options) => new Older(source, { ...options, nativeBinding }),
  };
}

/** @param isReinstalled whether building what is installed would not help */
function loadHint(isReinstalled: boolean): string {
  // A standalone executable is its own Node.js, and comes with what it needs.
  if (process.argv[1] === process.execPath) return 'replace the whole folder of this executable';
  const hint = `install Node.js ${OWN_SQLITE_FROM} or newer, which has SQLite built in`;
  // npm would choose 13 again, as for all of Node.js 22.
  if (isReinstalled && NODE_MAJOR >= 22 && !RUNS_13) return hint;
  return `${hint}; or ${isReinstalled ? reinstallWords() : buildWords()}`;
}

/** How to get the release of better-sqlite3 for this Node.js. */
function reinstallWords(): string {
  const folder = installFolder();
  // npm only links a checkout; its scripts install what another Node.js needs.
  return folder !== undefined && existsSync(join(folder, '.git'))
    ? `run "npm start -- --version" in ${folder}`
    : 'install svc again with npm';
}

/** How to get better-sqlite3 built. */
function buildWords(): string {
  const needs =
    'which downloads a built file from github.com, or compiles one with Python, make, a C++ compiler and headers from nodejs.org';
  // With npm, because other package managers choose the newest release, and leave it out where it is not for this Node.js.
  const again = `allow the install script of ${PACKAGE} and install svc again with npm`;
  const folder = installFolder();
  return folder === undefined
    ? `${again}, ${needs}`
    : `run "npm rebuild ${PACKAGE}" in ${folder}, ${needs}; or ${again}`;
}

/** Where better-sqlite3 is installed; undefined if it is not. */
function installFolder(): string | undefined {
  try {
    return requireHere.resolve(`${PACKAGE}/package.json`).split('/node_modules/')[0];
  } catch {
    return undefined;
  }
}

const requireHere = createRequire(import.meta.url);
const PACKAGE = 'better-sqlite3';
const OWN_SQLITE_FROM = '22.16';
const UNFIT = 'UNFIT';
const LOAD_FAILURES: Readonly<Record<string, string>> = {
  [UNFIT]: 'is of a release for another Node.js',
  ERR_DLOPEN_FAILED: 'was built for another Node.js',
  MODULE_NOT_FOUND: 'was not built when svc was installed',
};

/** Whether SQLite failed, and not the system or anything else, such as loading SQLite (SQLITE_UNUSABLE). */
export function isSqliteError(error: unknown): error is Error {
  if (!(error instanceof Error) || error instanceof SvcError) return false;
  return systemErrorCode(error)?.startsWith('SQLITE_') === true;
}

/** What a database failure means to the user. */
export type DatabaseFault = 'busy' | 'corrupt' | 'disk_full' | 'other' | 'unwritable';

/** Classifies anything thrown while using a database; see https://sqlite.org/rescode.html. */
export function databaseFault(error: unknown): DatabaseFault {
  const code = systemErrorCode(error) ?? '';
  // A damaged schema shows as a missing table.
  if (code === 'SQLITE_ERROR' && /no such (table|column)/.test(messageOf(error))) return 'corrupt';
  const known = FAULTS.find(([, codes]) => codes.some((start) => code.startsWith(start)));
  return known?.[0] ?? 'other';
}

/** Faults with the beginnings of their error codes. */
const FAULTS: readonly (readonly [DatabaseFault, readonly string[]])[] = [
  ['busy', ['SQLITE_BUSY', 'SQLITE_LOCKED', 'SQLITE_PROTOCOL']],
  ['corrupt', ['SQLITE_CORRUPT', 'SQLITE_NOTADB']],
  // The index of a log, in a file of its own, cannot grow.
  ['disk_full', ['SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE', 'ENOSPC', 'EDQUOT']],
  ['unwritable', ['SQLITE_READONLY', 'SQLITE_CANTOPEN', 'SQLITE_PERM', 'SQLITE_IOERR']],
  // ENOENT: no folder can be created in some file systems, such as /proc.
  ['unwritable', ['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR', 'ENOTEMPTY', 'EEXIST']],
];
