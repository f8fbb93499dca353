import { type Stats, statSync } from 'node:fs';
import {
  type ErrorCode,
  handlesExhausted,
  isHandleShortage,
  messageOf,
  SvcError,
  systemReason,
} from '../../../errors/index.js';
import { type Connection, databaseFault, openDatabase } from '../../../sqlite/database.js';
import { queryRow, queryValue } from '../../../sqlite/query.js';
import { closing } from '../../../support/async.js';
import { readPart, unlessSystemError } from '../../../support/files.js';
import {
  type IndexIdentity,
  identityDifferences,
  SCHEMA_VERSION,
  type Tokenizer,
} from '../identity.js';
import { APPLICATION_ID } from './schema.js';

/**
 * Stats of an index file, or undefined if there is none.
 *
 * @throws SvcError INDEX_UNWRITABLE for an inaccessible folder, and for anything but a regular file, which is
 *   not ours to replace
 */
export function statIndex(file: string): Stats | undefined {
  const stats = statsOf(file);
  if (stats === undefined || stats.isFile()) return stats;
  const what = stats.isDirectory() ? 'a folder' : 'not a regular file';
  throw new SvcError('INDEX_UNWRITABLE', `cannot use the index ${file}: it is ${what}`, {
    hint: 'move it away, or set memorySearch.store.path to a file',
  });
}

const PERMISSIONS =
  'check the disk and the permissions of its folder, or choose another with memorySearch.store.path or SVC_HOME';

function statsOf(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch (cause) {
    const message = `cannot read the index ${file}: ${systemReason(cause)}`;
    throw new SvcError('INDEX_UNWRITABLE', message, { hint: PERMISSIONS, cause });
  }
}

/** The size of a database file including its side files. */
export function bytesOnDisk(file: string): number {
  return ['', '-wal', '-shm'].reduce((sum, suffix) => {
    return sum + (statIndex(file + suffix)?.size ?? 0);
  }, 0);
}

export type IndexHeader = 'current' | 'empty' | 'foreign' | 'other';

const HEADER_BYTES = 72;

/** Classifies a file by its SQLite header (https://sqlite.org/fileformat2.html, §1.3). */
export function indexHeader(file: string): IndexHeader {
  const header = readPart(file, 0, HEADER_BYTES);
  if (header.length === 0) return 'empty';
  const isDatabase =
    header.length === HEADER_BYTES && header.toString('latin1', 0, 16) === 'SQLite format 3\0';
  if (!isDatabase || header.readInt32BE(68) !== APPLICATION_ID) return 'foreign';
  return header.readInt32BE(60) === SCHEMA_VERSION ? 'current' : 'other';
}

/** Whether an error means that the database is damaged. */
export function isDamage(error: unknown): boolean {
  if (error instanceof SvcError) return error.code === 'INDEX_CORRUPT';
  return databaseFault(error) === 'corrupt';
}

/** Turns a failure to write an index into an SvcError; other errors are returned as they are. */
export function asIndexError(error: unknown, file: string): unknown {
  if (error instanceof SvcError) return error;
  if (isHandleShortage(error)) return handlesExhausted(error);
  const because = (code: ErrorCode, message: string, hint: string): SvcError =>
    new SvcError(code, message, { hint, cause: error });
  switch (databaseFault(error)) {
    case 'busy':
      return because(
        'INDEX_LOCKED',
        `the index ${file} is in use by another process`,
        'wait for it to finish and try again',
      );
    case 'corrupt':
      return because(
        'INDEX_CORRUPT',
        `the index ${file} is damaged: ${messageOf(error)}`,
        'rebuild it with "svc memory index --force"',
      );
    case 'disk_full':
      return because(
        'INDEX_DISK_FULL',
        `cannot write ${file}: the disk is full`,
        'free some space and try again',
      );
    case 'unwritable': {
      // To read its header, or to create it or its lock; SQLite itself opens what cannot be written.
      const does =
        error instanceof Error && 'syscall' in error && error.syscall === 'open' ? 'open' : 'write';
      const message = `cannot ${does} the index ${file}: ${systemReason(error)}`;
      return because('INDEX_UNWRITABLE', message, PERMISSIONS);
    }
    case 'other':
      return error;
  }
}

/** A table of an index is not as it was written. */
export class DamagedMetaError extends Error {}

/** The schema version of an index; 0 for a database that is not ours. */
export function readVersion(database: Connection): number {
  const row = queryRow<{ application: number; version: number }>(
    database,
    `SELECT application_id AS application, user_version AS version
     FROM pragma_application_id, pragma_user_version`,
  );
  return row?.application === APPLICATION_ID ? row.version : 0;
}

/** @throws DamagedMetaError, and SQLite's errors */
export function readIdentity(database: Connection): IndexIdentity {
  const rows = database.prepare<[], [string, string]>('SELECT key, value FROM meta').raw().all();
  const meta = new Map(rows);
  const number = (key: string): number => {
    const value = Number(meta.get(key) ?? Number.NaN);
    if (!Number.isFinite(value)) throw new DamagedMetaError(`no ${key} in its meta table`);
    return value;
  };
  return {
    schemaVersion: number('schemaVersion'),
    chunkerVersion: number('chunkerVersion'),
    chunkTokens: number('chunkTokens'),
    chunkOverlap: number('chunkOverlap'),
    tokenizer: tokenizerOf(meta.get('tokenizer')),
    conversationsIn: meta.get('conversationsIn') ?? '',
    workspace: meta.get('workspace') ?? '',
  };
}

/** The folder that an index was built from; undefined if that cannot be read. */
export function indexedFolder(file: string): string | undefined {
  return unlessSystemError(() => {
    using database = closing(openDatabase(file, { readonly: true, busyTimeoutMs: 0 }));
    return queryValue<string>(database, "SELECT value FROM meta WHERE key = 'workspace'");
  });
}

/** Whether an open connection still sees the identity it was opened with. */
export function isUnchanged(database: Connection, identity: IndexIdentity): boolean {
  try {
    if (readVersion(database) !== SCHEMA_VERSION) return false;
    return identityDifferences(readIdentity(database), identity).length === 0;
  } catch {
    // Opening it again will report what is wrong.
    return false;
  }
}

function tokenizerOf(value: string | undefined): Tokenizer {
  if (value === 'unicode61' || value === 'trigram') return value;
  throw new DamagedMetaError('no tokenizer in its meta table');
}
