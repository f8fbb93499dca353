import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  handlesExhausted,
  isHandleShortage,
  messageOf,
  SvcError,
  systemReason,
} from '../../../errors/index.js';
import { type Connection, databaseFault } from '../../../sqlite/database.js';
import { openFormat } from '../../../sqlite/format.js';
import { syncFolder } from '../../../support/files.js';
import { FLOWS_FORMAT } from './migrations.js';

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
    database = openFormat(file, FLOWS_FORMAT, OPEN_TIMEOUT_MS);
    if (isNew) syncFolder(dirname(file));
    // From here on the log is synced off the event loop, before callers are answered; see sqlite-store.ts.
    database.pragma('synchronous = NORMAL');
    database.pragma(`busy_timeout = ${WORK_TIMEOUT_MS}`);
    return database;
  } catch (error) {
    database?.close();
    throw asFlowsError(error, file);
  }
}

/** SQLite would apply what they contain to any file that takes the place of theirs, and damage it. */
const SIDE_FILES = '-wal and -shm';

/** The error to report for a failure of the database; others pass through. */
export function asFlowsError(error: unknown, file: string): unknown {
  if (error instanceof SvcError) return error;
  if (isHandleShortage(error)) return handlesExhausted(error);
  const cause = { cause: error };
  switch (databaseFault(error)) {
    case 'busy':
      return new SvcError('FLOWS_BUSY', `${file} is being written by another process`, {
        hint: 'try again, or end the process that keeps it locked',
        ...cause,
      });
    case 'corrupt':
      return new SvcError('FLOWS_DAMAGED', `${file} is damaged: ${messageOf(error)}`, {
        hint: `stop "svc serve", move it and its ${SIDE_FILES} files away, and restore a copy or start over`,
        ...cause,
      });
    case 'disk_full':
      return new SvcError('FLOWS_PERSIST_FAILED', `the disk is full: ${file} cannot be written`, {
        hint: 'free some space and try again',
        ...cause,
      });
    case 'unwritable':
      return new SvcError(
        'FLOWS_PERSIST_FAILED',
        `${file} cannot be written: ${systemReason(error)}`,
        {
          hint: 'check the disk, and the permissions of the file and its folder',
          ...cause,
        },
      );
    case 'other':
      return error;
  }
}

/**
 * A change was committed but could not be synced: it may not survive a power cut.
 */
export function asSyncError(error: unknown, file: string): SvcError {
  if (error instanceof SvcError) return error;
  return new SvcError(
    'FLOWS_UNCERTAIN',
    `the change was made, but ${file} could not be synced to the disk: ${systemReason(error)}`,
    { hint: 'check the disk; a request with an idempotency key can be repeated', cause: error },
  );
}

/** Somebody deleted, moved or replaced the file of an open database. */
export function fileIsGone(file: string): SvcError {
  return new SvcError(
    'FLOWS_PERSIST_FAILED',
    `${file} was deleted or replaced while it was open, so nothing can be stored`,
    {
      hint: `stop "svc serve", put the file back, or a copy after deleting the ${SIDE_FILES} files, and start it`,
    },
  );
}
