import * as z from 'zod/mini';
import { asClaimKey } from '../claims/claim-words.js';
import type { ClaimFate, RecallEntry } from '../scoring/recall-entry.js';

/** A row of `entries`, as SQLite gives it. */
const entryRow = z.object({
  key: z.string(),
  text: z.string(),
  source: z.enum(['memory', 'sessions']),
  path: z.string(),
  start_line: z.number(),
  end_line: z.number(),
  recall_count: z.number(),
  daily_count: z.number(),
  grounded_count: z.number(),
  total_score: z.number(),
  max_score: z.number(),
  first_signal_ms: z.number(),
  last_signal_ms: z.number(),
  query_hashes: z.string(),
  days: z.string(),
  tags: z.string(),
  light_hits: z.number(),
  light_last_ms: z.nullable(z.number()),
  rem_hits: z.number(),
  rem_last_ms: z.nullable(z.number()),
  fate: z.enum(['open', 'promoted', 'rejected']),
  fate_ms: z.nullable(z.number()),
  fate_sweep: z.nullable(z.string()),
});
type EntryRow = z.infer<typeof entryRow>;

/** Columns in the order of {@link toParameters}. */
export const ENTRY_COLUMNS = Object.keys(entryRow.shape);

/** Reads a row; @throws when it is none. */
export function toEntry(row: unknown): RecallEntry {
  const read = entryRow.parse(row);
  return {
    key: asClaimKey(read.key),
    text: read.text,
    place: {
      source: read.source,
      path: read.path,
      startLine: read.start_line,
      endLine: read.end_line,
    },
    recallCount: read.recall_count,
    dailyCount: read.daily_count,
    groundedCount: read.grounded_count,
    totalScore: read.total_score,
    maxScore: read.max_score,
    firstSignalMs: read.first_signal_ms,
    lastSignalMs: read.last_signal_ms,
    queryHashes: wordsIn(read.query_hashes),
    days: wordsIn(read.days),
    tags: wordsIn(read.tags),
    light: { hits: read.light_hits, lastMs: read.light_last_ms ?? undefined },
    rem: { hits: read.rem_hits, lastMs: read.rem_last_ms ?? undefined },
    state: fateOf(read),
  };
}

/** The values of a row, by column. */
export function toParameters(entry: RecallEntry): EntryRow {
  const { state } = entry;
  return {
    key: entry.key,
    text: entry.text,
    source: entry.place.source,
    path: entry.place.path,
    start_line: entry.place.startLine,
    end_line: entry.place.endLine,
    recall_count: entry.recallCount,
    daily_count: entry.dailyCount,
    grounded_count: entry.groundedCount,
    total_score: entry.totalScore,
    max_score: entry.maxScore,
    first_signal_ms: entry.firstSignalMs,
    last_signal_ms: entry.lastSignalMs,
    query_hashes: entry.queryHashes.join('\n'),
    days: entry.days.join('\n'),
    tags: entry.tags.join('\n'),
    light_hits: entry.light.hits,
    light_last_ms: entry.light.lastMs ?? null,
    rem_hits: entry.rem.hits,
    rem_last_ms: entry.rem.lastMs ?? null,
    fate: state.fate,
    fate_ms: state.fate === 'open' ? null : state.atMs,
    fate_sweep: state.fate === 'promoted' ? state.sweepId : null,
  };
}

/** Lists are kept a value a line: hashes, days and tags have no line ends. */
function wordsIn(joined: string): string[] {
  return joined === '' ? [] : joined.split('\n');
}

function fateOf(row: EntryRow): ClaimFate {
  const atMs = row.fate_ms ?? 0;
  switch (row.fate) {
    case 'open':
      return { fate: 'open' };
    case 'promoted':
      return { fate: 'promoted', atMs, sweepId: row.fate_sweep ?? '' };
    case 'rejected':
      return { fate: 'rejected', atMs };
  }
}
