import type { ClaimKey } from '../claims/claim-words.js';
import type { Narrator } from '../model/narrator.js';
import { changeMemory, MEMORY_FILE, type MemoryChanger } from '../promotion/change-memory.js';
import { readGuarded } from '../promotion/guarded-file.js';
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
function rankClaims({ entries, phases, nowMs, dayStartMs }: PhaseContext): {
  readonly considered: number;
  readonly ranked: readonly RankedClaim[];
  readonly earlier: readonly RecallEntry[];
} {
  const { maxAgeDays, recencyHalfLifeDays } = phases.deep;
  const ranked: RankedClaim[] = [];
  const earlier: RecallEntry[] = [];
  let considered = 0;
  // One by one: of tens of thousands a few are kept.
  for (const entry of entries.each(nowMs - maxAgeDays * MS_PER_DAY)) {
    considered += 1;
    if (entry.state.fate !== 'open') {
      if (entry.state.fate === 'promoted' && wasOpenAt(entry, dayStartMs)) earlier.push(entry);
      continue;
    }
    const score = scoreClaim(entry, nowMs, recencyHalfLifeDays);
    const gates = checkGates(entry, score, phases.deep, nowMs);
    if (gates.every(({ passed }) => passed)) ranked.push({ entry, score: score.score });
  }
  ranked.sort(
    (a, b) =>
      b.score - a.score ||
      b.entry.recallCount - a.entry.recallCount ||
      compare(a.entry.place.path, b.entry.place.path) ||
      compare(a.entry.key, b.entry.key),
  );
  return { considered, ranked, earlier };
}

/**
 * Promotes what passed every gate. The only phase that changes `MEMORY.md`. A model, where there is one, is
 * asked before anything is decided for good: what it says changes words, never what is written or where.
 */
export async function deepPhase(
  context: PhaseContext,
  changer: MemoryChanger,
  sweep: SweepRecord,
  narrator: Narrator | undefined,
): Promise<DeepResult> {
  const { considered, ranked, earlier } = rankClaims(context);
  const result = { considered, passed: ranked.length + earlier.length, earlier };
  if (ranked.length === 0) return { ...result, decisions: [], sweep };
  const { limit, maxPromotedSnippetTokens, maxPriorEntryLossFraction } = context.phases.deep;
  const rules = {
    sweepId: sweep.id,
    limit,
    maxSnippetTokens: maxPromotedSnippetTokens,
    maxPriorEntryLossFraction,
    wordings: new Map<ClaimKey, string>(),
  };
  if (narrator !== undefined) {
    const { text } = readGuarded(changer.dir, MEMORY_FILE);
    const { decisions } = planPromotions(ranked, text, context.sources, rules);
    rules.wordings = await wordingsOf(decisions, narrator, context.signal);
  }
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

/** What a model makes of the claims that are about to be written; a few at a time. */
async function wordingsOf(
  decisions: readonly PromotionDecision[],
  narrator: Narrator,
  signal: AbortSignal,
): Promise<Map<ClaimKey, string>> {
  const wordings = new Map<ClaimKey, string>();
  const written = decisions.filter(
    ({ decision }) => decision === 'promote' || decision === 'renew',
  );
  for (let at = 0; at < written.length; at += MOST_AT_ONCE) {
    const some = written.slice(at, at + MOST_AT_ONCE);
    await Promise.all(
      some.map(async ({ entry }) => {
        wordings.set(entry.key, await narrator.condense(entry.text, signal));
      }),
    );
  }
  return wordings;
}

const MOST_AT_ONCE = 3;

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
