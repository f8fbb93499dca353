import { SvcError } from '../errors/index.js';
import { changingDreams, type HandOptions } from './changing-dreams.js';
import type { ClaimKey } from './claims/claim-words.js';
import { dayFormatter } from './day.js';
import type { DreamTarget } from './dream-targets.js';
import { realWorkspaceDir } from './dream-workspace.js';
import { changeMemory, type UndoResult, undoSweep } from './promotion/change-memory.js';
import { editMemory } from './promotion/memory-file.js';
import { scoreClaim } from './scoring/score.js';
import type { SweepRecord } from './store/sweep-records.js';
import { openSources } from './sweep/dream-sources.js';
import { type PromotionDecision, planPromotions } from './sweep/plan-promotions.js';
import { newSweepId } from './sweep/sweep-id.js';

/** What promoting a claim by hand came to. */
export interface HandPromotion {
  readonly sweep: SweepRecord;
  readonly decision: PromotionDecision;
}

/**
 * Promotes a claim whatever its score and gates say. It must still stand in its note, and long-term memory
 * must not say it already; both are told in the decision.
 *
 * @throws SvcError DREAM_CLAIM_UNKNOWN, DREAM_FILE_REFUSED, DREAM_MEMORY_BUSY, DREAM_STORE_*
 */
export async function promoteClaim(
  target: DreamTarget,
  key: ClaimKey,
  options: HandOptions,
): Promise<HandPromotion> {
  const sources = await openSources(realWorkspaceDir(target.workspace), target.reach);
  return changingDreams(target, options, (changer) => {
    const { nowMs, sweeps, entries } = changer;
    const day = dayFormatter(target.timeZone)(nowMs);
    const entry = entries.get(key);
    if (entry === undefined) throw claimUnknown(key);
    const sweep: SweepRecord = {
      id: newSweepId(nowMs, sweeps),
      day,
      trigger: 'promote',
      startedMs: nowMs,
      endedMs: nowMs,
      phases: {},
      memory: { state: 'untouched' },
    };
    const { deep } = target.settings.phases;
    const { score } = scoreClaim(entry, nowMs, deep.recencyHalfLifeDays);
    const rules = {
      sweepId: sweep.id,
      limit: 1,
      maxSnippetTokens: deep.maxPromotedSnippetTokens,
      maxPriorEntryLossFraction: deep.maxPriorEntryLossFraction,
      wordings: new Map(),
    };
    let decisions: readonly PromotionDecision[] = [];
    const changed = changeMemory(changer, sweep, (text) => {
      const plan = planPromotions([{ entry, score }], text, sources, rules);
      decisions = plan.decisions;
      const decided = plan.decisions.filter(({ decision }) => decision !== 'skip');
      return { ...editMemory(text, plan.edits, day), decided: decided.map(() => key) };
    });
    const [decision] = decisions;
    if (decision === undefined) throw claimUnknown(key);
    return { sweep: changed, decision };
  });
}

/** Never promotes a claim from now on. @throws SvcError DREAM_CLAIM_UNKNOWN, DREAM_STORE_* */
export async function rejectClaim(
  target: DreamTarget,
  key: ClaimKey,
  options: HandOptions,
): Promise<void> {
  await changingDreams(target, options, ({ entries, nowMs }) => {
    const entry = entries.get(key);
    if (entry === undefined) throw claimUnknown(key);
    entries.put({ ...entry, state: { fate: 'rejected', atMs: nowMs } });
  });
}

/**
 * Leaves a claim to the sweeps again that was rejected, or whose promotion was taken back.
 *
 * @throws SvcError DREAM_CLAIM_UNKNOWN, DREAM_STORE_*
 */
export async function reopenClaim(
  target: DreamTarget,
  key: ClaimKey,
  options: HandOptions,
): Promise<void> {
  await changingDreams(target, options, ({ entries }) => {
    const entry = entries.get(key);
    if (entry === undefined) throw claimUnknown(key);
    entries.put({ ...entry, state: { fate: 'open' } });
  });
}

/**
 * Takes a sweep back; the last one that wrote when none is named.
 *
 * @throws SvcError DREAM_SWEEP_UNKNOWN, DREAM_FILE_REFUSED, DREAM_STORE_*
 */
export async function undo(
  target: DreamTarget,
  sweepId: string | undefined,
  options: HandOptions,
): Promise<UndoResult> {
  return changingDreams(target, options, (changer) => {
    const { sweeps } = changer;
    const sweep =
      sweepId === undefined
        ? sweeps.list(MOST_SWEEPS).find(({ memory }) => memory.state === 'applied')
        : sweeps.get(sweepId);
    if (sweep === undefined) {
      const what =
        sweepId === undefined ? 'no sweep wrote anything' : `there is no sweep ${sweepId}`;
      throw new SvcError('DREAM_SWEEP_UNKNOWN', what, {
        hint: 'svc dream list shows the sweeps that ran',
      });
    }
    return undoSweep(changer, sweep);
  });
}

const MOST_SWEEPS = 1000;

function claimUnknown(key: ClaimKey): SvcError {
  return new SvcError('DREAM_CLAIM_UNKNOWN', `dreaming knows no claim ${key}`, {
    hint: 'svc dream candidates shows those there are',
  });
}
