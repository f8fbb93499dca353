import { existsSync } from 'node:fs';
import { SvcError, systemReason } from '../../errors/index.js';
import {
  type Connection,
  type DatabaseFault,
  databaseFault,
  isSqliteError,
} from '../../sqlite/database.js';
import {
  DURABLE_COMMITS,
  type FileFormat,
  openEmptyFormat,
  openFormat,
} from '../../sqlite/format.js';
import { type ProcessLockOptions, withProcessLock } from '../../sqlite/process-lock.js';
import { closing } from '../../support/async.js';
import type { DreamWorkspace } from '../dream-workspace.js';
import { recallEntries } from './recall-entries.js';
import { sweepRecords } from './sweep-records.js';
import { captureMarks, writeRecords } from './write-records.js';

/** Everything dreaming has recorded about a workspace. Close it when done. */
export type OpenDreams = ReturnType<typeof dreamsIn>;

/**
 * Opens what is recorded about a workspace, without creating anything if nothing is.
 *
 * @throws SvcError DREAM_STORE_NEWER, DREAM_STORE_UNUSABLE
 */
export function openDreams({ files }: Pick<DreamWorkspace, 'files'>): OpenDreams {
  return dreamsIn(
    existsSync(files.database) ? openDreamDatabase(files.database) : openEmptyFormat(FORMAT),
  );
}

/**
 * Reads what is recorded about a workspace, without creating anything if nothing is.
 *
 * @throws SvcError DREAM_STORE_NEWER, DREAM_STORE_UNUSABLE; what the reader throws
 */
export function readDreams<T>(
  { files }: Pick<DreamWorkspace, 'files'>,
  read: (dreams: OpenDreams) => T,
): T {
  try {
    using dreams = closing(openDreams({ files }));
    return read(dreams);
  } catch (error) {
    // A damaged page is found when it is read.
    throw isSqliteError(error) ? storeFailure(files.database, error) : error;
  }
}

/** The same for a reader that lets other work go on in between. */
export async function withDreams<T>(
  { files }: Pick<DreamWorkspace, 'files'>,
  read: (dreams: OpenDreams) => T | Promise<T>,
): Promise<T> {
  try {
    using dreams = closing(openDreams({ files }));
    return await read(dreams);
  } catch (error) {
    throw isSqliteError(error) ? storeFailure(files.database, error) : error;
  }
}

/**
 * Works on what is recorded about a workspace, creating it if needed, under the lock that sweeps hold.
 *
 * @throws SvcError DREAM_STORE_NEWER, DREAM_STORE_UNUSABLE; the signal's reason; what the work throws
 */
export async function withLockedDreams<T>(
  { files }: Pick<DreamWorkspace, 'files'>,
  wait: ProcessLockOptions,
  work: (dreams: OpenDreams) => T | Promise<T>,
): Promise<T> {
  return withProcessLock(files.lock, wait, async () => {
    try {
      using dreams = closing(dreamsIn(openDreamDatabase(files.database)));
      return await work(dreams);
    } catch (error) {
      // Also a disk that fills up or fails meanwhile.
      throw isSqliteError(error) ? storeFailure(files.database, error) : error;
    }
  });
}

function dreamsIn(database: Connection) {
  return {
    database,
    entries: recallEntries(database),
    sweeps: sweepRecords(database),
    writes: writeRecords(database),
    captures: captureMarks(database),
    close: () => void database.close(),
  };
}

const BUSY_TIMEOUT_MS = 10_000;

/**
 * Opens a database file, creating it (readable by its owner only) or migrating it if needed.
 *
 * @throws SvcError DREAM_STORE_NEWER, DREAM_STORE_UNUSABLE
 */
export function openDreamDatabase(file: string): Connection {
  try {
    return openFormat(file, FORMAT, BUSY_TIMEOUT_MS);
  } catch (error) {
    throw storeFailure(file, error);
  }
}

/** What failed, in words that name the file; an error that is not about it stays as it is. */
function storeFailure(file: string, error: unknown): unknown {
  const fault = databaseFault(error);
  if (error instanceof SvcError || fault === 'other') return error;
  return new SvcError('DREAM_STORE_UNUSABLE', `cannot use ${file}: ${systemReason(error)}`, {
    hint: HINTS[fault],
    cause: error,
  });
}

const HINTS: Readonly<Record<Exclude<DatabaseFault, 'other'>, string>> = {
  busy: 'try again; another process is using it',
  corrupt: 'move it away, which discards the recalls and sweeps recorded so far',
  disk_full: 'free some space and try again',
  unwritable: 'check the disk, and the permissions of the file and its folder',
};

/** Migrations in order; a released one never changes. */
const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE entries (
    key TEXT PRIMARY KEY,
    text TEXT NOT NULL,
    source TEXT NOT NULL,
    path TEXT NOT NULL,
    start_line INTEGER NOT NULL,
    end_line INTEGER NOT NULL,
    recall_count INTEGER NOT NULL,
    daily_count INTEGER NOT NULL,
    grounded_count INTEGER NOT NULL,
    total_score REAL NOT NULL,
    max_score REAL NOT NULL,
    first_signal_ms INTEGER NOT NULL,
    last_signal_ms INTEGER NOT NULL,
    query_hashes TEXT NOT NULL,
    days TEXT NOT NULL,
    tags TEXT NOT NULL,
    light_hits INTEGER NOT NULL,
    light_last_ms INTEGER,
    rem_hits INTEGER NOT NULL,
    rem_last_ms INTEGER,
    fate TEXT NOT NULL,
    fate_ms INTEGER,
    fate_sweep TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX entries_by_path ON entries (path);
  CREATE INDEX entries_by_last_signal ON entries (last_signal_ms);

  -- What a light phase already counted, so that a second sweep on a day counts nothing twice.
  CREATE TABLE daily_signals (
    day TEXT NOT NULL,
    path TEXT NOT NULL,
    key TEXT NOT NULL,
    PRIMARY KEY (day, path, key)
  ) STRICT, WITHOUT ROWID;

  -- How far the recall log was read: the file's identity and a byte offset.
  CREATE TABLE inbox (
    file TEXT PRIMARY KEY,
    bytes INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- What backfills added to claims, so that each backfill can be rolled back.
  CREATE TABLE backfills (
    id TEXT NOT NULL,
    key TEXT NOT NULL,
    signals INTEGER NOT NULL,
    score REAL NOT NULL,
    -- The claim's row before (null if it was new) and after, as JSON.
    before_row TEXT,
    after_row TEXT NOT NULL,
    PRIMARY KEY (id, key)
  ) STRICT, WITHOUT ROWID;

  -- Sweeps due after this time have not run yet.
  CREATE TABLE schedule (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    kept_until_ms INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE sweeps (
    id TEXT PRIMARY KEY,
    day TEXT NOT NULL,
    trigger TEXT NOT NULL,
    started_ms INTEGER NOT NULL,
    ended_ms INTEGER,
    phases TEXT NOT NULL,
    -- null (MEMORY.md untouched), planned, applied, partly_undone or undone.
    memory_state TEXT,
    -- Digests of MEMORY.md before and after the change, and the path of the copy from before.
    before_digest TEXT,
    after_digest TEXT,
    backup_file TEXT,
    operations TEXT NOT NULL DEFAULT '[]',
    promoted TEXT NOT NULL DEFAULT '[]'
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX sweeps_by_start ON sweeps (started_ms);
  `,
  `
  -- What was added to files of memory on request, so that it can be undone.
  CREATE TABLE writes (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at_ms INTEGER NOT NULL,
    path TEXT NOT NULL,
    origin TEXT NOT NULL,
    state TEXT NOT NULL,
    created INTEGER NOT NULL,
    inserted TEXT NOT NULL,
    frames TEXT NOT NULL
  ) STRICT;

  -- How many lines of the transcript of a conversation were captured.
  CREATE TABLE captures (
    session TEXT PRIMARY KEY,
    lines INTEGER NOT NULL,
    at_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  "ALTER TABLE writes ADD COLUMN replaced TEXT NOT NULL DEFAULT ''",
  `
  -- The order in which sweeps ran, whatever the clock said.
  ALTER TABLE sweeps ADD COLUMN number INTEGER NOT NULL DEFAULT 0;
  UPDATE sweeps SET number = ran.number FROM
    (SELECT id, row_number() OVER (ORDER BY started_ms, id) AS number FROM sweeps) AS ran
  WHERE sweeps.id = ran.id;
  DROP INDEX sweeps_by_start;
  CREATE INDEX sweeps_by_number ON sweeps (number);
  `,
];

const FORMAT: FileFormat = {
  name: 'a dreaming database',
  steps: MIGRATIONS,
  // This is user data, not a rebuildable index: commits must survive a power failure.
  pragmas: ['journal_mode = WAL', ...DURABLE_COMMITS, 'secure_delete = ON'],
  refusals: { foreign: 'DREAM_STORE_UNUSABLE', newer: 'DREAM_STORE_NEWER' },
};
