import { changeMemory, type MemoryChanger } from '../promotion/change-memory.js';
import { editMemory } from '../promotion/memory-file.js';
import { checkGates } from '../scoring/gates.js';
import { type RecallEntry, wasOpenAt } from '../scoring/recall-entry.js';
import { scoreClaim } from '../scoring/score.js';
import type { SweepRecord } from '../store/sweep-records.js';
import { MS_PER_DAY, type PhaseContext } from './phase-context.js';
import { type PromotionDecision, planPromotions, type RankedClaim } from './plan-promotions.js';

/** What the deep phase decided. */
export interface DeepResult {
  /** Claims young enough to be looked at. */
  readonly considered: number;
  /** Of these, claims that passed every gate. */
  readonly passed: number;
  readonly decisions: readonly PromotionDecision[];
  /** What earlier sweeps of the day promoted. */
  readonly earlier: readonly RecallEntry[];
  readonly sweep: SweepRecord;
}

/** All claims that pass every gate now, the best first (facts §7.4). */
export function rankClaims({ entries, phases, nowMs, dayStartMs }: PhaseContext): {
  readonly considered: number;
  readonly ranked: readonly RankedClaim[];
  readonly earlier: readonly RecallEntry[];
} {
  const { maxAgeDays, recencyHalfLifeDays } = phases.deep;
  const young = entries.since(nowMs - maxAgeDays * MS_PER_DAY);
  const ranked = young
    .map((entry) => ({ entry, score: scoreClaim(entry, nowMs, recencyHalfLifeDays) }))
    .filter(({ entry, score }) =>
      checkGates(entry, score, phases.deep, nowMs).every(({ passed }) => passed),
    )
    .map(({ entry, score }) => ({ entry, score: score.score }))
    .sort(
      (a, b) =>
        b.score - a.score ||
        b.entry.recallCount - a.entry.recallCount ||
        compare(a.entry.place.path, b.entry.place.path) ||
        compare(a.entry.key, b.entry.key),
    );
  const earlier = young.filter(
    (entry) => entry.state.fate === 'promoted' && wasOpenAt(entry, dayStartMs),
  );
  return { considered: young.length, ranked, earlier };
}

/** Promotes what passed every gate. The only phase that changes `MEMORY.md`. */
export function deepPhase(
  context: PhaseContext,
  changer: MemoryChanger,
  sweep: SweepRecord,
): DeepResult {
  const { considered, ranked, earlier } = rankClaims(context);
  const result = { considered, passed: ranked.length + earlier.length, earlier };
  if (ranked.length === 0) return { ...result, decisions: [], sweep };
  const { limit, maxPromotedSnippetTokens, maxPriorEntryLossFraction } = context.phases.deep;
  const rules = {
    sweepId: sweep.id,
    limit,
    maxSnippetTokens: maxPromotedSnippetTokens,
    maxPriorEntryLossFraction,
  };
  let decisions: readonly PromotionDecision[] = [];
  const changed = changeMemory(changer, sweep, (text) => {
    const plan = planPromotions(ranked, text, context.sources, rules);
    decisions = plan.decisions;
    const decided = plan.decisions.filter(({ decision }) => decision !== 'skip');
    return {
      ...editMemory(text, plan.edits, context.day),
      decided: decided.map(({ entry }) => entry.key),
    };
  });
  return { ...result, decisions, sweep: changed };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
