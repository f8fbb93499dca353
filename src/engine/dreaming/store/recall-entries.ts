import * as z from 'zod/mini';
import type { Connection } from '../../sqlite/database.js';
import { snakeCase } from '../../support/text.js';
import type { ClaimKey } from '../claims/claim-words.js';
import {
  CLAIM_FATES,
  type ClaimSignal,
  type RecallEntry,
  recallEntry,
  withSignal,
} from '../scoring/recall-entry.js';

/** Beyond this many claims, those without a signal for the longest time are dropped. */
const MOST_ENTRIES = 50_000;

/** The claims of one workspace and their signals. */
export type RecallEntries = ReturnType<typeof recallEntries>;

/** The claims stored in a database opened by openDreamDatabase. */
export function recallEntries(database: Connection) {
  const select = `SELECT ${COLUMNS.map(({ name, column }) => `${column} AS ${name}`)} FROM entries`;
  const one = database.prepare(`${select} WHERE key = ?`);
  const since = database
    .prepare<[number], unknown[]>(`${select} WHERE last_signal_ms >= ? ORDER BY key`)
    .raw();
  const recalled = database.prepare(
    `${select} WHERE fate = 'open' AND recall_count > 0 AND last_signal_ms >= ?
     ORDER BY last_signal_ms DESC, key LIMIT ?`,
  );
  const counts = database.prepare('SELECT fate, count(*) AS claims FROM entries GROUP BY fate');
  const put = database.prepare(
    `INSERT OR REPLACE INTO entries (${COLUMNS.map(({ column }) => column)})
     VALUES (${COLUMNS.map(({ name }) => `@${name}`)})`,
  );
  const remove = database.prepare('DELETE FROM entries WHERE key = ?');
  const removeMarks = database.prepare('DELETE FROM daily_signals WHERE key = ?');
  const mark = database.prepare(
    'INSERT INTO daily_signals (day, path, key) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  );
  const dropMarks = database.prepare('DELETE FROM daily_signals WHERE day < ?');
  // Promoted and rejected claims are kept longer than undecided ones.
  const drop = database.prepare(
    `DELETE FROM entries WHERE key IN (
       SELECT key FROM entries ORDER BY fate = 'open', last_signal_ms DESC LIMIT -1 OFFSET ?)`,
  );
  const get = (key: ClaimKey): RecallEntry | undefined => {
    const row = one.get(key);
    return row === undefined ? undefined : toEntry(row);
  };
  return {
    get,
    /** Claims with a signal since then, ordered by key. */
    since: (ms: number): RecallEntry[] => Array.from(since.iterate(ms), entryOfValues),
    /** The same, one at a time; do not write while iterating. */
    *eachSince(ms: number): Generator<RecallEntry> {
      for (const values of since.iterate(ms)) yield entryOfValues(values);
    },
    /** Open claims that answered searches and have a signal since then, the latest first. */
    recalledSince: (ms: number, limit: number): RecallEntry[] =>
      Array.from(recalled.iterate(ms, limit), toEntry),
    /** The number of claims by what was decided about them. */
    counts: (): Readonly<Partial<Record<RecallEntry['fate'], number>>> =>
      Object.fromEntries(fateCounts.parse(counts.all()).map(({ fate, claims }) => [fate, claims])),
    put: (entry: RecallEntry): void => {
      put.run(z.encode(recallEntry, entry));
    },
    /** Counts one more signal of a claim, which may be new. */
    add: (signal: ClaimSignal): void => {
      put.run(z.encode(recallEntry, withSignal(get(signal.key), signal)));
    },
    /** Removes a claim and its marks: if its note is read again, it counts again. */
    remove: (key: ClaimKey): void => {
      remove.run(key);
      removeMarks.run(key);
    },
    /** Counts a claim of a daily note for a day; false if it was counted before. */
    countDaily: (day: string, path: string, key: ClaimKey): boolean =>
      mark.run(day, path, key).changes === 1,
    /** Drops claims over the limit and marks from before `day`. @returns the number of claims dropped */
    prune: (day: string): number => {
      dropMarks.run(day);
      return drop.run(MOST_ENTRIES).changes;
    },
  };
}

const fateCounts = z.array(z.object({ fate: z.enum(CLAIM_FATES), claims: z.number() }));

const COLUMNS = Object.keys(recallEntry.shape).map((name) => ({ name, column: snakeCase(name) }));

function toEntry(row: unknown): RecallEntry {
  return recallEntry.parse(row);
}

/** From the values of {@link COLUMNS}: of many rows, with so many columns, that takes half as long as reading objects. */
function entryOfValues(values: readonly unknown[]): RecallEntry {
  const row: Record<string, unknown> = {};
  for (const [at, { name }] of COLUMNS.entries()) row[name] = values[at];
  return toEntry(row);
}

/** A claim's row as JSON, by column; backfills store it to restore the claim exactly. */
export function entryJson(entry: RecallEntry): string {
  const row: Readonly<Record<string, unknown>> = z.encode(recallEntry, entry);
  return JSON.stringify(Object.fromEntries(COLUMNS.map(({ name, column }) => [column, row[name]])));
}

/** Reads what entryJson wrote. */
export function parseEntryJson(json: string): RecallEntry {
  const row = z.record(z.string(), z.unknown()).parse(JSON.parse(json));
  return toEntry(Object.fromEntries(COLUMNS.map(({ name, column }) => [name, row[column]])));
}
