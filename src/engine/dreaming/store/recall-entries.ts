import type { Connection } from '../../sqlite/database.js';
import type { ClaimKey } from '../claims/claim-words.js';
import type { RecallEntry } from '../scoring/recall-entry.js';
import { ENTRY_COLUMNS, toEntry, toParameters } from './entry-rows.js';

/** More claims than this are not kept: those without a signal for the longest time go. */
const MOST_ENTRIES = 50_000;

/** The claims of one workspace and their signals. */
export interface RecallEntries {
  get(key: ClaimKey): RecallEntry | undefined;
  /** Those with a signal since a moment, in the order of their keys. */
  since(ms: number): RecallEntry[];
  /** The same one by one; nothing may be written meanwhile. */
  each(ms: number): Iterable<RecallEntry>;
  count(): number;
  put(entry: RecallEntry): void;
  remove(key: ClaimKey): void;
  /** Counts a claim of a daily note for a day; false when it was counted already. */
  countDaily(day: string, path: string, key: ClaimKey): boolean;
  /** Drops what is over the bound, and marks of days before `day`. @returns claims dropped */
  prune(day: string): number;
}

/** The claims kept in a database; see openDreamDatabase. */
export function recallEntries(database: Connection): RecallEntries {
  const one = database.prepare('SELECT * FROM entries WHERE key = ?');
  const since = database.prepare('SELECT * FROM entries WHERE last_signal_ms >= ? ORDER BY key');
  const count = database.prepare('SELECT count(*) FROM entries').pluck();
  const put = database.prepare(
    `INSERT OR REPLACE INTO entries (${ENTRY_COLUMNS.join(', ')})
     VALUES (${ENTRY_COLUMNS.map((column) => `@${column}`).join(', ')})`,
  );
  const remove = database.prepare('DELETE FROM entries WHERE key = ?');
  const mark = database.prepare(
    'INSERT INTO daily_signals (day, path, key) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  );
  const dropMarks = database.prepare('DELETE FROM daily_signals WHERE day < ?');
  // What was promoted or rejected is remembered longer than what nobody decided on.
  const drop = database.prepare(
    `DELETE FROM entries WHERE key IN (
       SELECT key FROM entries ORDER BY fate = 'open', last_signal_ms DESC LIMIT -1 OFFSET ?)`,
  );
  return {
    get: (key) => {
      const row = one.get(key);
      return row === undefined ? undefined : toEntry(row);
    },
    since: (ms) => Array.from(since.iterate(ms), toEntry),
    *each(ms) {
      for (const row of since.iterate(ms)) yield toEntry(row);
    },
    count: () => Number(count.get()),
    put: (entry) => {
      put.run(toParameters(entry));
    },
    remove: (key) => {
      remove.run(key);
    },
    countDaily: (day, path, key) => mark.run(day, path, key).changes === 1,
    prune: (day) => {
      dropMarks.run(day);
      return drop.run(MOST_ENTRIES).changes;
    },
  };
}
