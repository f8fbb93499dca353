import { closeSync, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import Database from 'better-sqlite3';
import { messageOf, SvcError, systemErrorCode } from '../../errors/index.js';

/** An open SQLite connection. */
export type Connection = Database.Database;

/** How a database file is opened. */
export interface OpenOptions {
  readonly readonly: boolean;
  /** How long a statement waits for another connection's lock, in milliseconds. */
  readonly busyTimeoutMs: number;
}

// Naming the native module spares better-sqlite3 its search for it, 3 ms of every start.
const NATIVE_BINDING = createRequire(import.meta.url).resolve(
  'better-sqlite3/build/Release/better_sqlite3.node',
);

/** Opens a file that exists already. */
export function openDatabase(file: string, options: OpenOptions): Connection {
  return new Database(file, {
    readonly: options.readonly,
    fileMustExist: true,
    timeout: options.busyTimeoutMs,
    nativeBinding: NATIVE_BINDING,
  });
}

/** Opens a file and creates it when it is not there, for its owner alone: notes are private. */
export function createDatabase(file: string, busyTimeoutMs: number): Connection {
  closeSync(openSync(file, 'a', 0o600));
  return new Database(file, { timeout: busyTimeoutMs, nativeBinding: NATIVE_BINDING });
}

/** Opens a database held in memory, a private copy of these bytes. */
export function openDatabaseBytes(bytes: Buffer): Connection {
  return new Database(bytes, { nativeBinding: NATIVE_BINDING });
}

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

/** Whether something failed because the database is not what was written. */
export function isDamage(error: unknown): boolean {
  if (error instanceof SvcError) return error.code === 'INDEX_CORRUPT';
  return databaseFault(error) === 'corrupt';
}

/** Turns a failure while writing an index into the error for the person; others pass through. */
export function asIndexError(error: unknown, file: string): unknown {
  if (error instanceof SvcError) return error;
  const cause = { cause: error };
  switch (databaseFault(error)) {
    case 'busy':
      return new SvcError('INDEX_LOCKED', `the index ${file} is in use by another process`, {
        hint: 'wait for it to finish and try again',
        ...cause,
      });
    case 'corrupt':
      return new SvcError('INDEX_CORRUPT', `the index ${file} is damaged: ${messageOf(error)}`, {
        hint: 'build it anew with "svc memory index --force"',
        ...cause,
      });
    case 'disk_full':
      return new SvcError('INDEX_DISK_FULL', `the disk is full: ${file} could not be written`, {
        hint: 'free some space and run "svc memory index"; what was committed before is kept',
        ...cause,
      });
    case 'unwritable':
      return new SvcError(
        'INDEX_UNWRITABLE',
        `cannot write the index ${file}: ${messageOf(error)}`,
        {
          hint: 'check the permissions of its folder, or move it with memorySearch.store.path',
          ...cause,
        },
      );
    case 'other':
      return error;
  }
}
