import { dirname } from 'node:path';
import { type ErrorCode, SvcError } from '../errors/index.js';
import { makeFolders } from '../support/files.js';
import {
  type Connection,
  createDatabase,
  inWriteTransaction,
  openDatabaseBytes,
} from './database.js';
import { queryRow } from './query.js';

/** A kind of SQLite file with data of the user, and its migrations. */
export interface FileFormat {
  /** For messages, with its article. */
  readonly name: string;
  /** The migration from each version to the next; the version is how many were run. Published ones never change. */
  readonly steps: readonly string[];
  /** SQLite's own mark of a file; files of a format without one must have none. */
  readonly applicationId?: number;
  /** Set on each connection that writes. */
  readonly pragmas: readonly string[];
  /** The code of the error for a file of another program, and of a newer svc. */
  readonly refusals: Readonly<Record<'foreign' | 'newer', ErrorCode>>;
}

/** For what must survive a power failure: each commit is synced, on macOS through the cache of the disk. */
export const DURABLE_COMMITS: readonly string[] = ['synchronous = FULL', 'fullfsync = ON'];

/**
 * Opens a file to write it, private to its owner. It is created or migrated if needed; a file that is refused stays
 * as it is.
 *
 * @param busyTimeoutMs how long a statement waits for another connection
 * @throws SvcError with a code of the format's refusals; what SQLite or the system throws
 */
export function openFormat(file: string, format: FileFormat, busyTimeoutMs: number): Connection {
  makeFolders(dirname(file));
  const database = createDatabase(file, busyTimeoutMs);
  try {
    const version = formatVersion(database, format);
    for (const pragma of format.pragmas) database.pragma(pragma);
    if (version !== format.steps.length) migrate(database, format);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** An empty database of a format in memory, for readers of a file that does not exist yet. */
export function openEmptyFormat(format: FileFormat): Connection {
  const database = openDatabaseBytes(Buffer.alloc(0));
  migrate(database, format);
  return database;
}

/** All in one transaction: a crash leaves the old version or the new one. */
function migrate(database: Connection, format: FileFormat): void {
  const { steps, applicationId } = format;
  inWriteTransaction(database, () => {
    // Another process may have been first.
    for (const step of steps.slice(formatVersion(database, format))) database.exec(step);
    if (applicationId !== undefined) database.pragma(`application_id = ${applicationId}`);
    database.pragma(`user_version = ${steps.length}`);
  });
}

/**
 * The version of a file; 0 while it is new.
 *
 * @throws SvcError with a code of the format's refusals
 */
export function formatVersion(database: Connection, format: FileFormat): number {
  const { name, steps, applicationId = 0, refusals } = format;
  const number = (pragma: string) => Number(database.pragma(pragma, { simple: true }));
  // In one transaction, since another process may be creating the file.
  const header = database.transaction(() => ({
    hasTables: queryRow(database, 'SELECT 1 FROM sqlite_schema LIMIT 1') !== undefined,
    version: number('user_version'),
    isMarked: number('application_id') === applicationId,
  }))();
  if (!header.isMarked && (header.version > 0 || header.hasTables)) {
    throw new SvcError(refusals.foreign, `${database.name} is not ${name}`, {
      hint: 'move it away; svc creates a new one',
    });
  }
  if (header.version <= steps.length) return header.version;
  throw new SvcError(
    refusals.newer,
    `a newer svc wrote ${database.name} (format ${header.version}, this one knows ${steps.length})`,
    { hint: 'update svc; the file was not changed' },
  );
}
