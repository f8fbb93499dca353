import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf, SvcError } from '../../errors/index.js';
import { type Connection, createDatabase, databaseFault } from '../../sqlite/database.js';
import { migrate } from '../../sqlite/migrate.js';
import { MIGRATIONS } from './migrations.js';

const BUSY_TIMEOUT_MS = 10_000;

/**
 * Opens what dreaming knows of one workspace, and brings an older form of it up to date.
 *
 * @param file absolute path; made, for its owner alone, when it is not there
 * @throws SvcError DREAM_STORE_NEWER, DREAM_STORE_UNUSABLE
 */
export function openDreamDatabase(file: string): Connection {
  let database: Connection | undefined;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    database = createDatabase(file, BUSY_TIMEOUT_MS);
    database.pragma('journal_mode = WAL');
    // What is acknowledged is on disk: it is the person's data, and no search waits for it.
    database.pragma('synchronous = FULL');
    database.pragma('secure_delete = ON');
    migrate(database, { steps: MIGRATIONS, check: (version) => refuseNewer(version, file) });
    return database;
  } catch (error) {
    database?.close();
    throw asStoreError(error, file);
  }
}

function refuseNewer(version: number, file: string): void {
  if (version <= MIGRATIONS.length) return;
  throw new SvcError('DREAM_STORE_NEWER', `${file} was written by a newer version of svc`, {
    hint: 'update svc, or move the file away to begin anew',
  });
}

/** Turns a failure of the store into the error for the person; others pass through. */
function asStoreError(error: unknown, file: string): unknown {
  if (error instanceof SvcError || databaseFault(error) === 'other') return error;
  return new SvcError('DREAM_STORE_UNUSABLE', `cannot use ${file}: ${messageOf(error)}`, {
    hint: 'check the permissions of its folder and the space on its disk; a damaged file may be moved away, which forgets what was recalled so far',
    cause: error,
  });
}
