import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { handlesExhausted, isHandleShortage, messageOf, SvcError } from '../../../errors/index.js';
import {
  type Connection,
  createDatabase,
  databaseFault,
  migrate,
  versionOf,
} from '../../../sqlite/database.js';
import { syncToDisk } from '../../../support/files.js';
import { APPLICATION_ID, MIGRATIONS } from './migrations.js';

/** While opening, another process may be migrating it. */
const OPEN_TIMEOUT_MS = 10_000;
/** Later: waiting blocks everything else in the process. */
const WORK_TIMEOUT_MS = 20;

/**
 * Opens the database of flows, private to its owner, and migrates it. It is created if needed.
 *
 * @param file absolute path
 * @throws SvcError FLOWS_NEWER, FLOWS_FOREIGN, FLOWS_DAMAGED, FLOWS_BUSY, FLOWS_PERSIST_FAILED
 */
export function openFlowsDatabase(file: string): Connection {
  let database: Connection | undefined;
  try {
    const isNew = !existsSync(file);
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    database = createDatabase(file, OPEN_TIMEOUT_MS);
    bringToThisVersion(database, file);
    if (isNew) syncToDisk(dirname(file));
    // From here on the log is synced off the event loop, before callers are answered; see SqliteFlowStore.
    database.pragma('synchronous = NORMAL');
    database.pragma(`busy_timeout = ${WORK_TIMEOUT_MS}`);
    return database;
  } catch (error) {
    database?.close();
    throw asFlowsError(error, file);
  }
}

function bringToThisVersion(database: Connection, file: string): void {
  const check = (version: number): void => checkVersion(database, version, file);
  // Before anything is written: another program's file stays unchanged.
  check(versionOf(database));
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  migrate(database, { steps: MIGRATIONS, check, applicationId: APPLICATION_ID });
}

function checkVersion(database: Connection, version: number, file: string): void {
  const isOurs = database.pragma('application_id', { simple: true }) === APPLICATION_ID;
  if (!isOurs && (version > 0 || hasTables(database))) {
    throw new SvcError('FLOWS_FOREIGN', `${file} is not a database of flows`, {
      hint: 'move it away; svc creates a new one',
    });
  }
  if (version <= MIGRATIONS.length) return;
  throw new SvcError(
    'FLOWS_NEWER',
    `a newer svc wrote ${file} (format ${version}, this one knows ${MIGRATIONS.length})`,
    { hint: 'use the newer svc; the file was not changed' },
  );
}

function hasTables(database: Connection): boolean {
  return database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() !== undefined;
}

/** The error to report for a failure of the database; others pass through. */
export function asFlowsError(error: unknown, file: string): unknown {
  if (error instanceof SvcError) return error;
  if (isHandleShortage(error)) return handlesExhausted(error);
  const cause = { cause: error };
  switch (databaseFault(error)) {
    case 'busy':
      return new SvcError('FLOWS_BUSY', `${file} is being written by another process`, {
        hint: 'try again; nothing was changed',
        ...cause,
      });
    case 'corrupt':
      return new SvcError('FLOWS_DAMAGED', `${file} is damaged: ${messageOf(error)}`, {
        hint: 'restore a copy of it, or move it away to start over',
        ...cause,
      });
    case 'disk_full':
      return new SvcError('FLOWS_PERSIST_FAILED', `the disk is full: ${file} cannot be written`, {
        hint: 'free some space and try again; nothing was changed',
        ...cause,
      });
    case 'unwritable':
      return new SvcError(
        'FLOWS_PERSIST_FAILED',
        `${file} cannot be written: ${messageOf(error)}`,
        { hint: 'check the permissions of the file and its folder; nothing was changed', ...cause },
      );
    case 'other':
      return error;
  }
}

/**
 * A change was committed but could not be synced: it may not survive a power cut.
 */
export function asSyncError(error: unknown, file: string): SvcError {
  return new SvcError(
    'FLOWS_PERSIST_FAILED',
    `the change was made, but ${file} could not be synced to the disk: ${messageOf(error)}`,
    { hint: 'check the disk; a request with an idempotency key can be repeated', cause: error },
  );
}
