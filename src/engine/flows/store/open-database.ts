import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { SvcError } from '../../errors/index.js';
import { type Connection, createDatabase } from '../../sqlite/database.js';
import { migrate, versionOf } from '../../sqlite/migrate.js';
import { syncToDisk } from '../../sync-to-disk.js';
import { asFlowsError } from './flows-error.js';
import { APPLICATION_ID, MIGRATIONS } from './migrations.js';

/** While it is opened, another process may be bringing it to this version. */
const OPEN_TIMEOUT_MS = 10_000;
/** Later: nothing waits here for long, since whatever waits blocks all others of its process. */
const WORK_TIMEOUT_MS = 20;

/**
 * Opens the database of flows, for its owner alone, and brings it to this version. It is made where
 * there is none.
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
    // From here on the log is synced beside the event loop, before anybody is told; see log-sync.ts.
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
  // Before anything is written: what is not ours stays as it is.
  check(versionOf(database));
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  migrate(database, { steps: MIGRATIONS, check, applicationId: APPLICATION_ID });
}

function checkVersion(database: Connection, version: number, file: string): void {
  const isOurs = database.pragma('application_id', { simple: true }) === APPLICATION_ID;
  if (!isOurs && (version > 0 || hasTables(database))) {
    throw new SvcError('FLOWS_FOREIGN', `${file} is not a database of flows`, {
      hint: 'move it away; svc makes a new one',
    });
  }
  if (version <= MIGRATIONS.length) return;
  throw new SvcError(
    'FLOWS_NEWER',
    `a newer svc wrote ${file} (format ${version}, this one knows ${MIGRATIONS.length})`,
    { hint: 'use the newer svc; the file was left as it is' },
  );
}

function hasTables(database: Connection): boolean {
  return database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() !== undefined;
}
