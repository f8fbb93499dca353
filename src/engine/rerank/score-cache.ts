import { rmSync } from 'node:fs';
import { type Connection, databaseFault } from '../sqlite/database.js';
import { type FileFormat, openFormat } from '../sqlite/format.js';
import { queryRow, runSql } from '../sqlite/query.js';
import type { RerankCost } from './reranker.js';

/** What was sent to a provider in a day. */
export interface RerankUse {
  readonly searches: number;
  readonly tokens: number;
  readonly searchUnits: number;
}

/** Rows of 16 bytes and a number, 3 MB in total. The oldest are dropped first. */
const MAX_SCORES = 50_000;
const DAYS_KEPT = 31;
const BUSY_TIMEOUT_MS = 1000;

const STEPS = [
  `CREATE TABLE scores (id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, score REAL NOT NULL) STRICT;
   CREATE TABLE used (
     day TEXT NOT NULL,
     provider TEXT NOT NULL,
     searches INTEGER NOT NULL DEFAULT 0,
     tokens INTEGER NOT NULL DEFAULT 0,
     search_units REAL NOT NULL DEFAULT 0,
     PRIMARY KEY (day, provider)
   ) STRICT, WITHOUT ROWID;`,
];

const FORMAT: FileFormat = {
  name: 'a cache of reranked passages',
  steps: STEPS,
  // "svcr".
  applicationId: 0x73766372,
  pragmas: ['journal_mode = WAL', 'synchronous = NORMAL'],
  refusals: { foreign: 'STATE_UNWRITABLE', newer: 'STATE_UNWRITABLE' },
};

export type ScoreCache = ReturnType<typeof openScoreCache>;

/**
 * Scores of passages, and what was sent per day. Contains hashes, no text: searching again, or after one note
 * changed, only sends what is new. May be deleted at any time.
 *
 * @throws what SQLite throws if the file cannot be used
 */
export function openScoreCache(file: string) {
  const database = openDatabase(file);
  return {
    /** Undefined where there is none. */
    scoresOf: (keys: readonly Buffer[]): readonly (number | undefined)[] => {
      const select = database
        .prepare<[Buffer], number>('SELECT score FROM scores WHERE key = ?')
        .pluck();
      return keys.map((key) => select.get(key));
    },
    storeScores: (scores: readonly { readonly key: Buffer; readonly score: number }[]): void => {
      const insert = database.prepare('INSERT OR REPLACE INTO scores (key, score) VALUES (?, ?)');
      database.transaction(() => {
        for (const { key, score } of scores) insert.run(key, score);
        const oldest = 'DELETE FROM scores WHERE id <= (SELECT max(id) FROM scores) - ?';
        runSql(database, oldest, MAX_SCORES);
      })();
    },
    /**
     * Counts a search before it is sent, so that processes cannot exceed a limit together.
     *
     * @param limit of the day
     * @returns false if it is reached
     */
    countSearch: (day: string, provider: string, limit = Number.MAX_SAFE_INTEGER): boolean => {
      const changes = runSql(
        database,
        `INSERT INTO used (day, provider, searches) VALUES (@day, @provider, 1)
         ON CONFLICT DO UPDATE SET searches = searches + 1 WHERE searches < @limit`,
        { day, provider, limit },
      );
      return changes > 0;
    },
    addCost: (day: string, provider: string, { tokens = 0, searchUnits = 0 }: RerankCost): void => {
      runSql(
        database,
        `UPDATE used SET tokens = tokens + @tokens, search_units = search_units + @searchUnits
         WHERE day = @day AND provider = @provider`,
        { day, provider, tokens, searchUnits },
      );
      runSql(database, `DELETE FROM used WHERE day < date(?, '-${DAYS_KEPT} days')`, day);
    },
    usedOn: (day: string, provider: string): RerankUse => {
      const used = queryRow<RerankUse>(
        database,
        `SELECT searches, tokens, search_units AS searchUnits FROM used
         WHERE day = ? AND provider = ?`,
        day,
        provider,
      );
      return used ?? { searches: 0, tokens: 0, searchUnits: 0 };
    },
    close: (): void => void database.close(),
  };
}

/** A damaged file is replaced. */
function openDatabase(file: string): Connection {
  const open = () => openFormat(file, FORMAT, BUSY_TIMEOUT_MS);
  try {
    return open();
  } catch (error) {
    if (databaseFault(error) !== 'corrupt') throw error;
    for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
    return open();
  }
}
