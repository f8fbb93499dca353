import { mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { SvcError } from '../errors/index.js';
import { type Connection, createDatabase, databaseFault, migrate } from '../sqlite/database.js';
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
/** Marks the file in SQLite's header ("svcr"). */
const APPLICATION_ID = 0x73766372;

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

/**
 * Scores of passages, and what was sent per day. Contains hashes, no text: searching again, or after one note
 * changed, only sends what is new. May be deleted at any time.
 */
export class ScoreCache {
  private readonly database: Connection;

  private constructor(database: Connection) {
    this.database = database;
  }

  /** A damaged file is replaced. @throws what SQLite throws if the file cannot be used */
  static open(file: string): ScoreCache {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    try {
      return ScoreCache.connect(file);
    } catch (error) {
      if (databaseFault(error) !== 'corrupt') throw error;
      for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
      return ScoreCache.connect(file);
    }
  }

  private static connect(file: string): ScoreCache {
    const database = createDatabase(file, BUSY_TIMEOUT_MS);
    try {
      database.pragma('journal_mode = WAL');
      database.pragma('synchronous = NORMAL');
      migrate(database, { steps: STEPS, check: refuseNewer, applicationId: APPLICATION_ID });
      return new ScoreCache(database);
    } catch (error) {
      database.close();
      throw error;
    }
  }

  /** Undefined where there is none. */
  scoresOf(keys: readonly Buffer[]): readonly (number | undefined)[] {
    const select = this.database.prepare<[Buffer], { readonly score: number }>(
      'SELECT score FROM scores WHERE key = ?',
    );
    return keys.map((key) => select.get(key)?.score);
  }

  keep(scores: readonly { readonly key: Buffer; readonly score: number }[]): void {
    const insert = this.database.prepare(
      'INSERT OR REPLACE INTO scores (key, score) VALUES (?, ?)',
    );
    this.database.transaction(() => {
      for (const { key, score } of scores) insert.run(key, score);
      this.database
        .prepare('DELETE FROM scores WHERE id <= (SELECT max(id) FROM scores) - ?')
        .run(MAX_SCORES);
    })();
  }

  /**
   * Counts a search before it is sent, so that processes cannot exceed a limit together.
   *
   * @param limit of the day; undefined for none
   * @returns false if it is reached
   */
  begin(day: string, provider: string, limit: number | undefined): boolean {
    const { changes } = this.database
      .prepare(
        `INSERT INTO used (day, provider, searches) VALUES (@day, @provider, 1)
         ON CONFLICT DO UPDATE SET searches = searches + 1 WHERE searches < @limit`,
      )
      .run({ day, provider, limit: limit ?? Number.MAX_SAFE_INTEGER });
    return changes > 0;
  }

  addCost(day: string, provider: string, { tokens = 0, searchUnits = 0 }: RerankCost): void {
    this.database
      .prepare(
        `UPDATE used SET tokens = tokens + ?, search_units = search_units + ?
         WHERE day = ? AND provider = ?`,
      )
      .run(tokens, searchUnits, day, provider);
    this.database.prepare(`DELETE FROM used WHERE day < date(?, '-${DAYS_KEPT} days')`).run(day);
  }

  usedOn(day: string, provider: string): RerankUse {
    const select = this.database.prepare<[string, string], RerankUse>(
      `SELECT searches, tokens, search_units AS searchUnits FROM used
       WHERE day = ? AND provider = ?`,
    );
    return select.get(day, provider) ?? { searches: 0, tokens: 0, searchUnits: 0 };
  }

  close(): void {
    this.database.close();
  }
}

/** A newer release may have changed the tables; the cache is worth less than its data. */
function refuseNewer(version: number): void {
  if (version <= STEPS.length) return;
  throw new SvcError('STATE_UNWRITABLE', 'the cache of reranked passages is from a newer svc');
}
