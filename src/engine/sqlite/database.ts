import { closeSync, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import Database from 'better-sqlite3';
import { messageOf, SvcError, systemErrorCode } from '../errors/index.js';
import { keepNativeObjects } from './keep-native-objects.js';

/** An open SQLite connection. */
export type Connection = Database.Database;

interface OpenOptions {
  readonly readonly: boolean;
  /** How long a statement waits for another connection's lock, in milliseconds. */
  readonly busyTimeoutMs: number;
}

/** Opens an existing file. */
export function openDatabase(file: string, options: OpenOptions): Connection {
  return connect(file, {
    readonly: options.readonly,
    fileMustExist: true,
    timeout: options.busyTimeoutMs,
  });
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

/** Opens a database in memory, a copy of these bytes. */
export function openDatabaseBytes(bytes: Buffer): Connection {
  return connect(bytes, {});
}

/** Uses an empty database in memory, to learn about SQLite. @throws SvcError SQLITE_UNUSABLE */
export function withEmptyDatabase<T>(use: (database: Connection) => T): T {
  const database = openDatabaseBytes(Buffer.alloc(0));
  try {
    return use(database);
  } finally {
    database.close();
  }
}

export function sqliteVersion(database: Connection): string {
  return String(database.prepare('SELECT sqlite_version()').pluck().get());
}

function connect(source: Buffer | string, options: Database.Options): Connection {
  const database = construct(source, options);
  keepNativeObjects(database, process.versions.node);
  return database;
}

/** @throws SvcError SQLITE_UNUSABLE if the native module is missing or built for another Node.js */
function construct(source: Buffer | string, options: Database.Options): Connection {
  try {
    // Passing its path saves better-sqlite3 a search of 3 ms with every start.
    const nativeBinding = requireHere.resolve(`${PACKAGE}/build/Release/better_sqlite3.node`);
    return new Database(source, { ...options, nativeBinding });
  } catch (error) {
    const why = LOAD_FAILURES[systemErrorCode(error) ?? ''];
    if (why === undefined) throw error;
    const folder = requireHere.resolve(`${PACKAGE}/package.json`).split('/node_modules/')[0];
    throw new SvcError('SQLITE_UNUSABLE', `SQLite cannot be loaded: its native module ${why}`, {
      hint: `run "npm rebuild ${PACKAGE}" in ${folder}`,
      cause: error,
    });
  }
}

const requireHere = createRequire(import.meta.url);
const PACKAGE = 'better-sqlite3';
const LOAD_FAILURES: Readonly<Record<string, string>> = {
  ERR_DLOPEN_FAILED: 'was built for another Node.js',
  MODULE_NOT_FOUND: 'was not built when svc was installed',
};

/** What a database failure means to the user. */
export type DatabaseFault = 'busy' | 'corrupt' | 'disk_full' | 'other' | 'unwritable';

/** Classifies anything thrown while using a database; see https://sqlite.org/rescode.html. */
export function databaseFault(error: unknown): DatabaseFault {
  const code = systemErrorCode(error) ?? '';
  // A damaged schema shows as a missing table.
  if (code === 'SQLITE_ERROR' && /no such (table|column)/.test(messageOf(error))) return 'corrupt';
  for (const [prefix, fault] of FAULTS) {
    if (code.startsWith(prefix)) return fault;
  }
  return 'other';
}

const FAULTS: readonly (readonly [string, DatabaseFault])[] = [
  ['SQLITE_BUSY', 'busy'],
  ['SQLITE_LOCKED', 'busy'],
  ['SQLITE_CORRUPT', 'corrupt'],
  ['SQLITE_NOTADB', 'corrupt'],
  ['SQLITE_FULL', 'disk_full'],
  ['ENOSPC', 'disk_full'],
  ['EDQUOT', 'disk_full'],
  ['SQLITE_READONLY', 'unwritable'],
  ['SQLITE_CANTOPEN', 'unwritable'],
  ['SQLITE_PERM', 'unwritable'],
  ['SQLITE_IOERR', 'unwritable'],
  ['EACCES', 'unwritable'],
  ['EPERM', 'unwritable'],
  ['EROFS', 'unwritable'],
  ['ENOTDIR', 'unwritable'],
  ['ENOTEMPTY', 'unwritable'],
  ['EEXIST', 'unwritable'],
];

interface Migration {
  /** The statements from each version to the next; the version is how many were run. */
  readonly steps: readonly string[];
  /** Throws if the file is not for this program. Called inside the transaction. */
  readonly check: (version: number) => void;
  /** Marks the file in SQLite's header. */
  readonly applicationId?: number | undefined;
}

/**
 * Migrates a database to the version of this program, in one transaction: a crash leaves the old version or
 * the new one. Writes nothing if it is current.
 */
export function migrate(database: Connection, { steps, check, applicationId }: Migration): void {
  if (versionOf(database) === steps.length) return;
  const apply = database.transaction(() => {
    // Checked again inside: another process may have been first.
    const version = versionOf(database);
    check(version);
    for (const step of steps.slice(version)) database.exec(step);
    if (applicationId !== undefined) database.pragma(`application_id = ${applicationId}`);
    database.pragma(`user_version = ${steps.length}`);
  });
  apply.immediate();
}

/** How many migrations were run; 0 for a new database. */
export function versionOf(database: Connection): number {
  return Number(database.pragma('user_version', { simple: true }));
}
