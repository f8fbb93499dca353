import { letOthersRun } from '../../support/async.js';
import { groupByEach } from '../../support/lists.js';
import { MS_PER_DAY } from '../../support/time.js';
import type { ClaimKey } from '../claims/claim-words.js';
import { type Gist, gistOf } from '../claims/gist.js';
import { mayBeRelated, relate } from '../claims/relate.js';
import type { RecallEntries } from '../store/recall-entries.js';
import { averageScore, type RecallEntry, signalCount, signalDay } from './recall-entry.js';

/** The signals of a claim and their weights in its score (facts §7.4), which add up to 1. */
export const SIGNAL_WEIGHTS = {
  frequency: 0.24,
  relevance: 0.3,
  diversity: 0.15,
  recency: 0.15,
  consolidation: 0.1,
  conceptual: 0.06,
} as const;
export type SignalName = keyof typeof SIGNAL_WEIGHTS;
export const SIGNAL_NAMES = Object.keys(SIGNAL_WEIGHTS) as readonly SignalName[];

export const MOST_LIGHT_BOOST = 0.06;
export const MOST_REM_BOOST = 0.09;
const BOOST_HALF_LIFE_DAYS = 14;

/**
 * How much a claim deserves to be kept (facts §7.4). Another signal of the same relevance, a higher
 * relevance or a later last signal never lowers it.
 */
export function scoreClaim(entry: RecallEntry, nowMs: number, recencyHalfLifeDays: number) {
  const count = signalCount(entry);
  /** Each 0 to 1, before its weight. */
  const signals: Readonly<Record<SignalName, number>> = {
    frequency: logShare(count, 10),
    relevance: averageScore(entry),
    diversity: Math.min(1, distinctAsks(entry) / 5),
    recency: decay(entry.lastSignalMs, nowMs, recencyHalfLifeDays),
    consolidation: consolidationOf(entry),
    conceptual: Math.min(1, entry.tags.length / 6),
  };
  // For claims that earlier sweeps selected.
  const lightBoost = MOST_LIGHT_BOOST * boostOf(entry.lightHits, entry.lightLastMs, nowMs);
  const remBoost = MOST_REM_BOOST * boostOf(entry.remHits, entry.remLastMs, nowMs);
  const weighted = SIGNAL_NAMES.reduce(
    (sum, name) => sum + SIGNAL_WEIGHTS[name] * signals[name],
    0,
  );
  return {
    /** Sum of the weighted signals and the boosts; may exceed 1. */
    score: weighted + lightBoost + remBoost,
    signals,
    lightBoost,
    remBoost,
  };
}

/** A score from an earlier day, less what its recency has lost since. */
export function fadedScore(
  score: number,
  atMs: number,
  nowMs: number,
  recencyHalfLifeDays: number,
): number {
  return score - SIGNAL_WEIGHTS.recency * (1 - decay(atMs, nowMs, recencyHalfLifeDays));
}

/** The number of different questions or of different days, whichever is higher. */
export function distinctAsks(entry: Pick<RecallEntry, 'days' | 'queryHashes'>): number {
  return Math.max(new Set(entry.queryHashes).size, entry.days.length);
}

/** How far signals are spread over days; signals of a backfill count regardless of days. */
function consolidationOf({ days, groundedCount }: RecallEntry): number {
  const grounded = Math.min(1, groundedCount / 3);
  if (days.length === 0) return grounded;
  if (days.length === 1) return Math.max(0.2, grounded);
  const spread = Math.min(1, Math.log1p(days.length - 1) / Math.log1p(4));
  const times = days.map((day) => Date.parse(day));
  const span = Math.min(1, (Math.max(...times) - Math.min(...times)) / MS_PER_DAY / 7);
  return Math.max(0.55 * spread + 0.45 * span, grounded);
}

function boostOf(hits: number, lastMs: number | null, nowMs: number): number {
  if (hits === 0 || lastMs === null) return 0;
  return logShare(hits, 6) * decay(lastMs, nowMs, BOOST_HALF_LIFE_DAYS);
}

/** Grows logarithmically with a count, up to 1 at `full`. */
export function logShare(count: number, full: number): number {
  return Math.min(1, Math.log1p(count) / Math.log1p(full));
}

/** 1 now, ½ at the half-life; a future time counts as now. */
function decay(atMs: number, nowMs: number, halfLifeDays: number): number {
  return 2 ** (-Math.max(0, nowMs - atMs) / MS_PER_DAY / halfLifeDays);
}

/** Only this many claims are compared with each other, those with the latest signals. */
const MOST_COMPARED = 2000;

/** Other work goes on after so many claims. */
const STEP = 100;

/**
 * Adds to open claims the signals of claims that say the same in other words, and of claims they supersede:
 * search returns whichever wording matches a question best. Each question and day counts only once.
 *
 * @param sinceMs claims without a signal since then count for nothing
 * @returns the claims that were compared, by key; to others nothing is added
 * @throws the signal's reason
 */
export async function poolEvidence(
  { recalledSince }: Pick<RecallEntries, 'recalledSince'>,
  sinceMs: number,
  signal: AbortSignal,
): Promise<ReadonlyMap<ClaimKey, RecallEntry>> {
  const compared: ComparedClaim[] = [];
  for (const entry of recalledSince(sinceMs, MOST_COMPARED)) {
    if (compared.length % STEP === 0) await letOthersRun(signal);
    compared.push({ entry, gist: gistOf(entry.text), day: signalDay(entry) });
  }
  const pooled = new Map<ClaimKey, RecallEntry>();
  for (const [one, related] of eachWithRelated(compared)) {
    if (pooled.size % STEP === 0) await letOthersRun(signal);
    const others = related.filter((other) => backs(other, one));
    pooled.set(one.entry.key, withEvidenceOf(one.entry, others));
  }
  return pooled;
}

/** A claim with the signals that {@link poolEvidence} adds to it. */
export async function pooledClaim(
  entry: RecallEntry,
  entries: Pick<RecallEntries, 'recalledSince'>,
  { maxAgeDays }: { readonly maxAgeDays: number },
  { nowMs, signal }: Moment,
): Promise<RecallEntry> {
  const pooled = await poolEvidence(entries, nowMs - maxAgeDays * MS_PER_DAY, signal);
  return pooled.get(entry.key) ?? entry;
}

/** When claims are scored, and what interrupts it. */
export interface Moment {
  readonly nowMs: number;
  readonly signal: AbortSignal;
}

interface ComparedClaim {
  readonly entry: RecallEntry;
  readonly gist: Gist;
  /** Of its signal: read once, because near-identical claims are compared in millions of pairs. */
  readonly day: string;
}

/** Whether the signals of one claim also count for another. */
function backs(one: ComparedClaim, other: ComparedClaim): boolean {
  const relation = relate(other.gist, one.gist);
  return relation === 'same' || (relation === 'updates' && one.day <= other.day);
}

/** Near-identical claims have thousands of others: no list is copied for each. */
function withEvidenceOf(entry: RecallEntry, others: readonly ComparedClaim[]): RecallEntry {
  const queryHashes = new Set(entry.queryHashes);
  const days = new Set(entry.days);
  let { recallCount, totalScore, maxScore, lastSignalMs } = entry;
  for (const { entry: other } of others) {
    const before = queryHashes.size;
    for (const hash of other.queryHashes) queryHashes.add(hash);
    for (const day of other.days) days.add(day);
    const added = Math.min(queryHashes.size - before, other.recallCount);
    recallCount += added;
    totalScore += added * averageScore(other);
    maxScore = Math.max(maxScore, other.maxScore);
    lastSignalMs = Math.max(lastSignalMs, other.lastSignalMs);
  }
  return {
    ...entry,
    recallCount,
    totalScore,
    maxScore,
    lastSignalMs,
    queryHashes: [...queryHashes],
    days: [...days].sort(),
  };
}

/**
 * Each claim with the others that may be related to it, in order. There can be thousands, nearly all about something
 * else: what one shares with each of them is counted for all at once, since comparing every pair takes ten times as
 * long.
 */
export function* eachWithRelated<Item extends { readonly gist: Gist }>(
  items: readonly Item[],
): Generator<readonly [Item, readonly Item[]]> {
  const kindBits = new Map<string, number>();
  const bitOf = (kind: string): number => {
    const bit = kindBits.get(kind) ?? 1 << kindBits.size;
    kindBits.set(kind, bit);
    return bit;
  };
  const all = items.map((item, at): IndexedItem<Item> => {
    const names = item.gist.named.map(({ stem }) => stem);
    const values = [...item.gist.values].flatMap(([kind, stems]) =>
      Array.from(stems, (stem) => ({ kind: bitOf(kind), key: `${kind} ${stem}` })),
    );
    const kinds = values.reduce((mask, { kind }) => mask | kind, 0);
    return { at, item, names, values, kinds };
  });
  const bySubject = groupByEach(all, ({ item }) => item.gist.subject);
  const byName = groupByEach(all, ({ names }) => names);
  const byValue = groupByEach(all, ({ values }) => values.map(({ key }) => key));
  const shared = new Uint16Array(all.length);
  const agreeing = new Uint32Array(all.length);
  const isNamed = new Uint8Array(all.length);
  for (const one of all) {
    for (const counts of [shared, agreeing, isNamed]) counts.fill(0);
    for (const stem of one.item.gist.subject) {
      for (const { at } of bySubject.get(stem) ?? []) shared[at] = (shared[at] ?? 0) + 1;
      markAll(isNamed, byName.get(stem), 1);
    }
    // What is a value here and the subject there counts as subject in both, so that they share something else.
    for (const stem of one.names) markAll(isNamed, bySubject.get(stem), 1);
    for (const { kind, key } of one.values) markAll(agreeing, byValue.get(key), kind);
    const related = all.filter((other) => {
      const { at, item, kinds } = other;
      if (other === one) return false;
      if (isNamed[at] === 1) return true;
      const isInConflict = (one.kinds & kinds & ~(agreeing[at] ?? 0)) !== 0;
      return mayBeRelated(one.item.gist, item.gist, shared[at] ?? 0, isInConflict);
    });
    yield [one.item, related.map(({ item }) => item)];
  }
}

interface IndexedItem<Item> {
  readonly at: number;
  readonly item: Item;
  /** The stems of values that another claim may be about. */
  readonly names: readonly string[];
  /** Each with the bit of its kind. */
  readonly values: readonly { readonly kind: number; readonly key: string }[];
  /** The bits of all its kinds of values. */
  readonly kinds: number;
}

function markAll(
  marks: Uint8Array | Uint32Array,
  where: readonly { readonly at: number }[] | undefined,
  bits: number,
): void {
  for (const { at } of where ?? []) marks[at] = (marks[at] ?? 0) | bits;
}
