import { claimKeyOf } from '../claims/claim-words.js';
import { conceptTagsOf } from '../claims/concept-tags.js';
import type { ClaimPlace, RecallEntry } from './recall-entry.js';

/** How a claim showed that it may be useful. */
export interface ClaimSignal {
  readonly kind: 'recall' | 'daily' | 'grounded';
  readonly text: string;
  readonly place: ClaimPlace;
  /** 0 to 1. */
  readonly score: number;
  readonly atMs: number;
  /** `YYYY-MM-DD` of that moment where the operator lives. */
  readonly day: string;
  /** The question behind a recall; undefined for the others. */
  readonly queryHash: string | undefined;
}

/** How many questions and days are kept of a claim, the newest (facts §7.3). */
const MOST_QUERIES = 32;
const MOST_DAYS = 16;

const NEVER_MET = { hits: 0, lastMs: undefined } as const;

/** A claim's entry with one more signal; a new one for a claim that had none. */
export function withSignal(known: RecallEntry | undefined, signal: ClaimSignal): RecallEntry {
  const entry = known ?? newEntry(signal);
  const later = signal.atMs >= entry.lastSignalMs;
  const { kind, score, queryHash } = signal;
  return {
    ...entry,
    // The latest place is the likeliest to be found again.
    ...(later ? { text: signal.text, place: signal.place } : {}),
    recallCount: entry.recallCount + (kind === 'recall' ? 1 : 0),
    dailyCount: entry.dailyCount + (kind === 'daily' ? 1 : 0),
    groundedCount: entry.groundedCount + (kind === 'grounded' ? 1 : 0),
    totalScore: entry.totalScore + score,
    maxScore: Math.max(entry.maxScore, score),
    firstSignalMs: Math.min(entry.firstSignalMs, signal.atMs),
    lastSignalMs: Math.max(entry.lastSignalMs, signal.atMs),
    queryHashes:
      queryHash === undefined
        ? entry.queryHashes
        : newest(entry.queryHashes, queryHash, MOST_QUERIES),
    days: [...new Set([...entry.days, signal.day])].sort().slice(-MOST_DAYS),
  };
}

function newEntry({ text, place, atMs }: ClaimSignal): RecallEntry {
  return {
    key: claimKeyOf(text),
    text,
    place,
    recallCount: 0,
    dailyCount: 0,
    groundedCount: 0,
    totalScore: 0,
    maxScore: 0,
    firstSignalMs: atMs,
    lastSignalMs: atMs,
    queryHashes: [],
    days: [],
    tags: conceptTagsOf(text),
    light: NEVER_MET,
    rem: NEVER_MET,
    state: { fate: 'open' },
  };
}

function newest(values: readonly string[], value: string, most: number): readonly string[] {
  return values.includes(value) ? values : [...values, value].slice(-most);
}
