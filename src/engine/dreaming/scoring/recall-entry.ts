import type { LineRange, Source } from '../../memory/types.js';
import type { ClaimKey } from '../claims/claim-words.js';

/** Where a claim was last seen. */
export interface ClaimPlace extends LineRange {
  readonly source: Source;
  /** Workspace-relative, forward slashes. */
  readonly path: string;
}

/** How often a phase of a sweep met a claim, and when last, in milliseconds since the epoch. */
export interface PhaseSignal {
  readonly hits: number;
  readonly lastMs: number | undefined;
}

/** What became of a claim. */
export type ClaimFate =
  | { readonly fate: 'open' }
  | { readonly fate: 'promoted'; readonly atMs: number; readonly sweepId: string }
  | { readonly fate: 'rejected'; readonly atMs: number };

/** Everything that is known of how useful a claim was (facts §7.3). */
export interface RecallEntry {
  readonly key: ClaimKey;
  readonly text: string;
  readonly place: ClaimPlace;
  /** Searches that it answered. */
  readonly recallCount: number;
  /** Daily notes of the light phase that held it. */
  readonly dailyCount: number;
  /** Signals of a grounded backfill. */
  readonly groundedCount: number;
  /** Sum and maximum of the scores of all signals; each is 0 to 1. */
  readonly totalScore: number;
  readonly maxScore: number;
  readonly firstSignalMs: number;
  readonly lastSignalMs: number;
  /** Of the questions it answered: 12 hexadecimal digits each, the newest 32. */
  readonly queryHashes: readonly string[];
  /** Days (`YYYY-MM-DD`) with a signal, ascending, the newest 16. */
  readonly days: readonly string[];
  /** What it is about, at most 8. */
  readonly tags: readonly string[];
  readonly light: PhaseSignal;
  readonly rem: PhaseSignal;
  readonly state: ClaimFate;
}

/** Signals of all kinds. */
export function signalCount(
  entry: Pick<RecallEntry, 'dailyCount' | 'groundedCount' | 'recallCount'>,
): number {
  return entry.recallCount + entry.dailyCount + entry.groundedCount;
}

/** Whether nobody decided on a claim before a moment: what was promoted since counts as open still. */
export function wasOpenAt({ state }: Pick<RecallEntry, 'state'>, ms: number): boolean {
  return state.fate === 'open' || (state.fate === 'promoted' && state.atMs >= ms);
}
