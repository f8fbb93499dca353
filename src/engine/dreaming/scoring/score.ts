import { type PhaseSignal, type RecallEntry, signalCount } from './recall-entry.js';

/** The six signals of a claim and the boost that earlier phases give, each 0 to 1 before its weight. */
export interface ScoreSignals {
  readonly frequency: number;
  readonly relevance: number;
  readonly diversity: number;
  readonly recency: number;
  readonly consolidation: number;
  readonly conceptual: number;
}

/** A score with all that it is made of. */
export interface ClaimScore {
  /** Sum of the weighted signals and the boosts; may go over 1. */
  readonly score: number;
  readonly signals: ScoreSignals;
  /** Added for claims that earlier sweeps met: at most 0.06 and 0.09. */
  readonly lightBoost: number;
  readonly remBoost: number;
}

/** Share of each signal in a score (facts §7.4); they add up to 1. */
export const SIGNAL_WEIGHTS: ScoreSignals = {
  frequency: 0.24,
  relevance: 0.3,
  diversity: 0.15,
  recency: 0.15,
  consolidation: 0.1,
  conceptual: 0.06,
};

/** The most that the boosts of earlier phases add. */
export const MOST_LIGHT_BOOST = 0.06;
export const MOST_REM_BOOST = 0.09;
const BOOST_HALF_LIFE_DAYS = 14;
const MS_PER_DAY = 86_400_000;

/**
 * How much a claim deserves to be kept (facts §7.4). Never less for one more of any signal of the same
 * relevance, a higher relevance or a later last signal.
 *
 * @param recencyHalfLifeDays age at which a claim's recency has halved
 */
export function scoreClaim(
  entry: RecallEntry,
  nowMs: number,
  recencyHalfLifeDays: number,
): ClaimScore {
  const signals = signalsOf(entry, nowMs, recencyHalfLifeDays);
  const lightBoost = MOST_LIGHT_BOOST * boostOf(entry.light, nowMs);
  const remBoost = MOST_REM_BOOST * boostOf(entry.rem, nowMs);
  return { score: weighted(signals) + lightBoost + remBoost, signals, lightBoost, remBoost };
}

function signalsOf(entry: RecallEntry, nowMs: number, halfLifeDays: number): ScoreSignals {
  const count = signalCount(entry);
  return {
    frequency: logShare(count, 10),
    relevance: count === 0 ? 0 : clamp(entry.totalScore / count),
    diversity: Math.min(1, distinctAsks(entry) / 5),
    recency: halved(entry.lastSignalMs, nowMs, halfLifeDays),
    consolidation: consolidationOf(entry),
    conceptual: Math.min(1, entry.tags.length / 6),
  };
}

/** Different questions, or different days, whichever are more. */
export function distinctAsks(entry: Pick<RecallEntry, 'days' | 'queryHashes'>): number {
  return Math.max(new Set(entry.queryHashes).size, entry.days.length);
}

/** How far its signals are spread over days; a claim that a backfill found counts for as much as it was. */
function consolidationOf({ days, groundedCount }: RecallEntry): number {
  const grounded = Math.min(1, groundedCount / 3);
  if (days.length === 0) return grounded;
  if (days.length === 1) return Math.max(0.2, grounded);
  const spread = Math.min(1, Math.log1p(days.length - 1) / Math.log1p(4));
  const span = Math.min(1, spanDays(days) / 7);
  return Math.max(0.55 * spread + 0.45 * span, grounded);
}

function spanDays(days: readonly string[]): number {
  const times = days.map((day) => Date.parse(day)).filter((ms) => !Number.isNaN(ms));
  return times.length === 0 ? 0 : (Math.max(...times) - Math.min(...times)) / MS_PER_DAY;
}

function boostOf({ hits, lastMs }: PhaseSignal, nowMs: number): number {
  if (hits === 0 || lastMs === undefined) return 0;
  return logShare(hits, 6) * halved(lastMs, nowMs, BOOST_HALF_LIFE_DAYS);
}

function weighted(signals: ScoreSignals): number {
  return (
    SIGNAL_WEIGHTS.frequency * signals.frequency +
    SIGNAL_WEIGHTS.relevance * signals.relevance +
    SIGNAL_WEIGHTS.diversity * signals.diversity +
    SIGNAL_WEIGHTS.recency * signals.recency +
    SIGNAL_WEIGHTS.consolidation * signals.consolidation +
    SIGNAL_WEIGHTS.conceptual * signals.conceptual
  );
}

/** Grows with a count, ever more slowly, up to 1 at `full`. */
function logShare(count: number, full: number): number {
  return Math.min(1, Math.log1p(count) / Math.log1p(full));
}

/** 1 now, ½ at the half-life; a time to come counts as now. */
function halved(atMs: number, nowMs: number, halfLifeDays: number): number {
  return 2 ** (-Math.max(0, nowMs - atMs) / MS_PER_DAY / halfLifeDays);
}

function clamp(value: number): number {
  return Math.min(1, Math.max(0, value));
}
