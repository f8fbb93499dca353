import { closeSync, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import Database from 'better-sqlite3';
import { messageOf, SvcError, systemErrorCode } from '../errors/index.js';
import { keepNativeObjects } from './keep-native-objects.js';

/** An open SQLite connection. */
export type Connection = Database.Database;

/** How a database file is opened. */
export interface OpenOptions {
  readonly readonly: boolean;
  /** How long a statement waits for another connection's lock, in milliseconds. */
  readonly busyTimeoutMs: number;
}

/** Opens a file that exists already. */
export function openDatabase(file: string, options: OpenOptions): Connection {
  return connect(file, {
    readonly: options.readonly,
    fileMustExist: true,
    timeout: options.busyTimeoutMs,
  });
}

/** Opens a file and creates it when it is not there, for its owner alone: notes are private. */
export function createDatabase(file: string, busyTimeoutMs: number): Connection {
  createFile(file);
  return connect(file, { timeout: busyTimeoutMs });
}

/**
 * A file that is there is not even opened: closing any handle on it would end the locks that other
 * connections of this process hold (https://sqlite.org/howtocorrupt.html, §2.2).
 */
function createFile(file: string): void {
  try {
    closeSync(openSync(file, 'ax', 0o600));
  } catch (error) {
    if (systemErrorCode(error) !== 'EEXIST') throw error;
  }
}

/** Opens a database held in memory, a private copy of these bytes. */
export function openDatabaseBytes(bytes: Buffer): Connection {
  return connect(bytes, {});
}

function connect(source: Buffer | string, options: Database.Options): Connection {
  const database = construct(source, options);
  keepNativeObjects(database, process.versions.node);
  return database;
}

/** @throws SvcError SQLITE_UNUSABLE when the native module is missing or of another Node.js */
function construct(source: Buffer | string, options: Database.Options): Connection {
  try {
    // Naming the native module spares better-sqlite3 its search for it, 3 ms of every start.
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

/** What a database failure means to the person, by SQLite's result code. */
export type DatabaseFault = 'busy' | 'corrupt' | 'disk_full' | 'other' | 'unwritable';

/** Classifies anything thrown while working with a database; `https://sqlite.org/rescode.html`. */
export function databaseFault(error: unknown): DatabaseFault {
  const code = systemErrorCode(error) ?? '';
  // Damage in the schema shows as a table that is not there.
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
