import * as z from 'zod/mini';
import type { Connection } from '../../sqlite/database.js';
import { snakeCase } from '../../support/text.js';
import { type ClaimKey, claimKey } from '../claims/claim-words.js';
import {
  CLAIM_FATES,
  type ClaimFate,
  type ClaimSignal,
  type RecallEntry,
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
    counts: (): Readonly<Partial<Record<ClaimFate['fate'], number>>> =>
      Object.fromEntries(fateCounts.parse(counts.all()).map(({ fate, claims }) => [fate, claims])),
    put: (entry: RecallEntry): void => {
      put.run(toRow(entry));
    },
    /** Counts one more signal of a claim, which may be new. */
    add: (signal: ClaimSignal): void => {
      put.run(toRow(withSignal(get(signal.key), signal)));
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

/** Lists are stored one value per line: hashes, days and tags contain no line breaks. */
const list = z.string();

const fateCounts = z.array(z.object({ fate: z.enum(CLAIM_FATES), claims: z.number() }));

const entryRow = z.object({
  key: claimKey,
  text: z.string(),
  source: z.enum(['memory', 'sessions']),
  path: z.string(),
  startLine: z.number(),
  endLine: z.number(),
  recallCount: z.number(),
  dailyCount: z.number(),
  groundedCount: z.number(),
  totalScore: z.number(),
  maxScore: z.number(),
  firstSignalMs: z.number(),
  lastSignalMs: z.number(),
  queryHashes: list,
  days: list,
  tags: list,
  lightHits: z.number(),
  lightLastMs: z.nullable(z.number()),
  remHits: z.number(),
  remLastMs: z.nullable(z.number()),
  fate: z.enum(CLAIM_FATES),
  fateMs: z.nullable(z.number()),
  fateSweep: z.nullable(z.string()),
});
type EntryRow = z.infer<typeof entryRow>;

const COLUMNS = Object.keys(entryRow.shape).map((name) => ({ name, column: snakeCase(name) }));

/** Field by field, as below: a sweep reads tens of thousands, and copying the rest of an object takes far longer. */
function toEntry(value: unknown): RecallEntry {
  const row = entryRow.parse(value);
  const { source, path, startLine, endLine } = row;
  return {
    key: row.key,
    text: row.text,
    place: { source, path, startLine, endLine },
    recallCount: row.recallCount,
    dailyCount: row.dailyCount,
    groundedCount: row.groundedCount,
    totalScore: row.totalScore,
    maxScore: row.maxScore,
    firstSignalMs: row.firstSignalMs,
    lastSignalMs: row.lastSignalMs,
    queryHashes: valuesIn(row.queryHashes),
    days: valuesIn(row.days),
    tags: valuesIn(row.tags),
    light: { hits: row.lightHits, lastMs: row.lightLastMs ?? undefined },
    rem: { hits: row.remHits, lastMs: row.remLastMs ?? undefined },
    state: fateOf(row.fate, row.fateMs ?? 0, row.fateSweep ?? ''),
  };
}

/** From the values of {@link COLUMNS}: of many rows, with so many columns, that takes half as long as reading objects. */
function entryOfValues(values: readonly unknown[]): RecallEntry {
  const row: Record<string, unknown> = {};
  for (const [at, { name }] of COLUMNS.entries()) row[name] = values[at];
  return toEntry(row);
}

function toRow(entry: RecallEntry): EntryRow {
  const { place, light, rem, state } = entry;
  return {
    key: entry.key,
    text: entry.text,
    source: place.source,
    path: place.path,
    startLine: place.startLine,
    endLine: place.endLine,
    recallCount: entry.recallCount,
    dailyCount: entry.dailyCount,
    groundedCount: entry.groundedCount,
    totalScore: entry.totalScore,
    maxScore: entry.maxScore,
    firstSignalMs: entry.firstSignalMs,
    lastSignalMs: entry.lastSignalMs,
    queryHashes: entry.queryHashes.join('\n'),
    days: entry.days.join('\n'),
    tags: entry.tags.join('\n'),
    lightHits: light.hits,
    lightLastMs: light.lastMs ?? null,
    remHits: rem.hits,
    remLastMs: rem.lastMs ?? null,
    fate: state.fate,
    fateMs: state.fate === 'open' ? null : state.atMs,
    fateSweep: state.fate === 'promoted' ? state.sweepId : null,
  };
}

function valuesIn(joined: string): string[] {
  return joined === '' ? [] : joined.split('\n');
}

function fateOf(fate: EntryRow['fate'], atMs: number, sweepId: string): ClaimFate {
  switch (fate) {
    case 'open':
      return { fate };
    case 'promoted':
      return { fate, atMs, sweepId };
    case 'rejected':
      return { fate, atMs };
  }
}

/** A claim's row as JSON, by column; backfills store it to restore the claim exactly. */
export function entryJson(entry: RecallEntry): string {
  const row: Readonly<Record<string, unknown>> = toRow(entry);
  return JSON.stringify(Object.fromEntries(COLUMNS.map(({ name, column }) => [column, row[name]])));
}

/** Reads what entryJson wrote. */
export function parseEntryJson(json: string): RecallEntry {
  const row = z.record(z.string(), z.unknown()).parse(JSON.parse(json));
  return toEntry(Object.fromEntries(COLUMNS.map(({ name, column }) => [name, row[column]])));
}
