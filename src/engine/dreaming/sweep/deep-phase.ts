import { MEMORY_FILE, readGuarded } from '../../memory-files/guarded-file.js';
import { letOthersRun } from '../../support/async.js';
import { MS_PER_DAY } from '../../support/time.js';
import type { ClaimKey } from '../claims/claim-words.js';
import type { Narrator } from '../narrator.js';
import {
  changeMemory,
  type MemoryChanger,
  type PlannedFile,
  plannedFiles,
} from '../promotion/change-memory.js';
import { dayOfEntry, editMemory, promotedEntries } from '../promotion/memory-file.js';
import { checkGates } from '../scoring/gates.js';
import { isAsked, type RecallEntry, signalDay, wasOpenAt } from '../scoring/recall-entry.js';
import { poolEvidence } from '../scoring/score.js';
import type { SweepRecord } from '../store/sweep-records.js';
import { readStatements } from './check-claim.js';
import type { PhaseContext } from './dream-sources.js';
import {
  isWritten,
  type PromotionBasis,
  type PromotionDecision,
  type PromotionRules,
  planPromotions,
  type RankedClaim,
} from './plan-promotions.js';

/** The result of the deep phase. */
export type DeepResult = Awaited<ReturnType<typeof deepPhase>>;

/** Claims that pass every gate, best first (facts §7.4). */
async function rankClaims({ entries, phases, nowMs, dayStartMs, signal }: PhaseContext) {
  const sinceMs = nowMs - phases.deep.maxAgeDays * MS_PER_DAY;
  const pooled = await poolEvidence(entries, sinceMs, signal);
  const ranked: RankedClaim[] = [];
  /** Claims that earlier sweeps on the same day promoted. */
  const earlier: RecallEntry[] = [];
  /** Claims within the age limit. */
  let considered = 0;
  // One at a time: there may be tens of thousands, and only a few pass.
  for (const own of entries.eachSince(sinceMs)) {
    considered += 1;
    if (own.fate !== 'open') {
      if (own.fate === 'promoted' && wasOpenAt(own, dayStartMs)) earlier.push(own);
      continue;
    }
    if (!isAsked(own)) continue;
    const entry = pooled.get(own.key) ?? own;
    const { score, passes } = checkGates(entry, phases.deep, nowMs);
    if (passes) ranked.push({ entry, score: score.score });
  }
  ranked.sort(
    (a, b) =>
      b.score - a.score ||
      b.entry.recallCount - a.entry.recallCount ||
      compare(a.entry.path, b.entry.path) ||
      compare(a.entry.key, b.entry.key),
  );
  return { considered, ranked, earlier };
}

/** Everything that decides which claims are promoted, of those that pass every gate. */
async function preparePlan<C extends PhaseContext>(
  context: C,
  sweepId: string,
  ranked: readonly RankedClaim[],
) {
  const { sources, phases, day, signal } = context;
  const { text } = readGuarded(context.dir, MEMORY_FILE);
  const written = promotedEntries(text);
  const days = [...ranked.map(({ entry }) => signalDay(entry)), ...written.map(dayOfEntry)];
  const statements = await readStatements(sources, days.toSorted()[0] ?? day, day, signal);
  // A plan looks for what contradicts each entry. Other work goes on only here.
  for (const entry of written) {
    await letOthersRun(signal);
    statements.contradictionOf(entry.text, dayOfEntry(entry));
  }
  const basis = { ...context, statements };
  const rules = { ...phases.deep, sweepId, day, followsNotes: true };
  return { text, basis, rules };
}

/**
 * The claims that a sweep would write to `MEMORY.md` now.
 *
 * @throws SvcError DREAM_FILE_REFUSED; the signal's reason
 */
export async function nextPromotions(context: PhaseContext): Promise<ReadonlySet<ClaimKey>> {
  if (!context.phases.deep.enabled) return new Set();
  const { ranked } = await rankClaims(context);
  const { text, basis, rules } = await preparePlan(context, '', ranked);
  await letOthersRun(context.signal);
  const { decisions } = planPromotions(ranked, text, basis, rules);
  return new Set(decisions.filter(isWritten).map(({ entry }) => entry.key));
}

/**
 * Promotes claims that pass every gate: the only phase that changes `MEMORY.md`. A narrator may change the
 * wording of an entry, never which claims are promoted.
 */
export async function deepPhase(
  context: MemoryChanger & PhaseContext,
  sweep: SweepRecord,
  narrator: Narrator | undefined,
) {
  const { signal } = context;
  const { considered, earlier, ranked } = await rankClaims(context);
  // With tens of thousands of claims, each part takes a second.
  await letOthersRun(signal);
  const { text, basis, rules } = await preparePlan(context, sweep.id, ranked);
  await letOthersRun(signal);
  const wordings =
    narrator === undefined
      ? undefined
      : await wordingsOf(planPromotions(ranked, text, basis, rules).decisions, narrator, signal);
  const promoted = promote(basis, sweep, ranked, { ...rules, wordings });
  const passed = new Set(ranked.map(({ entry }) => entry.key));
  /** Decisions about newer statements, which stand in for a claim or an entry that they supersede. */
  const newer = promoted.decisions.filter(({ entry }) => !passed.has(entry.key)).length;
  return { considered, passed: passed.size, newer, earlier, ...promoted };
}

/** Decides about claims that were chosen, and changes `MEMORY.md`. @param ranked best first */
export function promote(
  basis: MemoryChanger & PromotionBasis,
  sweep: SweepRecord,
  ranked: readonly RankedClaim[],
  rules: PromotionRules,
) {
  const { entries, dir, dryRun } = basis;
  let decisions: readonly PromotionDecision[] = [];
  /** Those that a dry run would change. */
  let files: readonly PlannedFile[] = [];
  const changed = changeMemory(basis, sweep, (text) => {
    const plan = planPromotions(ranked, text, basis, rules);
    decisions = plan.decisions;
    const decided = decisions.filter(({ decision }) => decision !== 'skip');
    // Undo rejects the promoted claims, so they have to be recorded.
    for (const { entry } of decided) {
      if (entries.get(entry.key) !== undefined) continue;
      // A statement that no light phase has read: a later one must not count it again.
      entries.countDaily(signalDay(entry), entry.path, entry.key);
      entries.put(entry);
    }
    const edited = editMemory(text, plan.edits, rules.day);
    if (dryRun) files = plannedFiles(dir, edited, rules.day);
    return { ...edited, decided: decided.map(({ entry }) => entry.key) };
  });
  return { decisions, files, sweep: changed };
}

/** Shortened wordings of the claims to be written, a few requests at a time. */
async function wordingsOf(
  decisions: readonly PromotionDecision[],
  narrator: Narrator,
  signal: AbortSignal,
): Promise<Map<ClaimKey, string>> {
  const MOST_AT_ONCE = 3;
  const wordings = new Map<ClaimKey, string>();
  const written = decisions.filter(isWritten);
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

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
