import { SvcError } from '../errors/index.js';
import { dayFormatter } from '../support/day.js';
import {
  type ClaimKey,
  claimKeyOf,
  isClaimKey,
  jaccard,
  lossFraction,
  stemsOf,
} from './claims/claim-words.js';
import type { DreamTarget } from './dream-targets.js';
import { type UndoResult, undoRecordedSweep } from './promotion/change-memory.js';
import { OPEN, type RecallEntry, signalDay } from './scoring/recall-entry.js';
import { pooledClaim, scoreClaim } from './scoring/score.js';
import type { RecallEntries } from './store/recall-entries.js';
import {
  newSweep,
  type SweepRecord,
  type SweepRecords,
  unknownSweep,
} from './store/sweep-records.js';
import { readStatements } from './sweep/check-claim.js';
import { promote } from './sweep/deep-phase.js';
import { openSources } from './sweep/dream-sources.js';
import type { PromotionDecision } from './sweep/plan-promotions.js';
import { changeDreams, type ManualChangeOptions } from './with-dreams.js';

/**
 * Promotes a claim regardless of score and gates. The decision shows if its note no longer contains it, or
 * if `MEMORY.md` already does.
 *
 * @throws SvcError DREAM_CLAIM_UNKNOWN, DREAM_FILE_REFUSED, DREAM_MEMORY_BUSY, DREAM_STORE_*
 */
export async function promoteClaim(
  target: DreamTarget,
  key: ClaimKey,
  options: ManualChangeOptions,
): Promise<{ readonly sweep: SweepRecord; readonly decision: PromotionDecision }> {
  const sources = await openSources(target);
  return changeDreams(target, options, async (changer) => {
    const { nowMs, sweeps, entries } = changer;
    const { signal } = options;
    const day = dayFormatter(target.timeZone)(nowMs);
    const { deep } = target.settings.phases;
    const found = requireClaim(entries, key);
    const entry = await pooledClaim(found, entries, deep, { nowMs, signal });
    const sweep = newSweep(sweeps, { trigger: 'promote', day, startedMs: nowMs, endedMs: nowMs });
    const { score } = scoreClaim(entry, nowMs, deep.recencyHalfLifeDays);
    const rules = { ...deep, sweepId: sweep.id, limit: 1, day, followsNotes: false };
    const statements = await readStatements(sources, signalDay(entry), day, signal);
    const basis = { ...changer, sources, statements };
    const promoted = promote(basis, sweep, [{ entry, score }], rules);
    const [decision] = promoted.decisions;
    if (decision === undefined) throw unknownClaim(key);
    return { sweep: promoted.sweep, decision };
  });
}

/**
 * Keeps sweeps from promoting a claim (`rejected`), or lets them promote it again (`open`).
 *
 * @returns the sweep that can be undone to remove the claim from `MEMORY.md`; undefined if there is none
 * @throws SvcError DREAM_CLAIM_UNKNOWN, DREAM_STORE_*
 */
export async function setClaimFate(
  target: DreamTarget,
  key: ClaimKey,
  fate: 'open' | 'rejected',
  options: ManualChangeOptions,
): Promise<string | undefined> {
  return changeDreams(target, options, ({ entries, sweeps, nowMs }) => {
    const entry = requireClaim(entries, key);
    entries.put({ ...entry, ...OPEN, ...(fate === 'rejected' && { fate, fateMs: nowMs }) });
    const sweep = entry.fateSweep === null ? undefined : sweeps.get(entry.fateSweep);
    // A sweep that was undone left what was edited since, and one without operations found it there.
    const isUndoable = sweep?.memoryState === 'applied' && sweep.operations.length > 0;
    return isUndoable ? sweep.id : undefined;
  });
}

/**
 * Undoes a sweep; by default, the last one that changed `MEMORY.md`.
 *
 * @throws SvcError DREAM_SWEEP_UNKNOWN, DREAM_FILE_REFUSED, DREAM_STORE_*
 */
export async function undoSweep(
  target: DreamTarget,
  sweepId: string | undefined,
  options: ManualChangeOptions,
): Promise<UndoResult> {
  return changeDreams(target, options, (changer) => {
    const { sweeps } = changer;
    const sweep = sweepId === undefined ? sweeps.lastApplied() : findSweep(sweeps, sweepId);
    if (sweep !== undefined) return undoRecordedSweep(changer, sweep);
    throw unknownSweep('no sweep to undo');
  });
}

const LEAST_PREFIX = 4;
const KEY_PREFIX = /^[0-9a-f]+$/u;
/** A text less similar than this does not match a claim. */
const LEAST_SIMILARITY = 0.34;

/**
 * Finds a claim by its key, a unique key prefix or its text: a decision needs an exact match.
 *
 * @throws SvcError DREAM_CLAIM_UNKNOWN
 */
export function requireClaim(entries: RecallEntries, wanted: string): RecallEntry {
  const found = exactClaim(entries, wanted);
  if (found === undefined) throw unknownClaim(wanted);
  return found;
}

/** Finds a claim like requireClaim, or else the one with the most similar text. @throws SvcError DREAM_CLAIM_UNKNOWN */
export function findClaim(entries: RecallEntries, wanted: string): RecallEntry {
  const found = exactClaim(entries, wanted) ?? mostSimilar(entries.since(0), wanted);
  if (found === undefined) throw unknownClaim(wanted);
  return found;
}

function exactClaim(entries: RecallEntries, wanted: string): RecallEntry | undefined {
  return (
    entries.get(isClaimKey(wanted) ? wanted : claimKeyOf(wanted)) ??
    byPrefix(entries.since(0), wanted)
  );
}

function unknownClaim(wanted: string): SvcError {
  return new SvcError('DREAM_CLAIM_UNKNOWN', `claim ${JSON.stringify(wanted)} not found`, {
    hint: 'run "svc dream candidates" or "svc dream signals" to see known claims',
  });
}

function byPrefix(all: readonly RecallEntry[], wanted: string): RecallEntry | undefined {
  if (wanted.length < LEAST_PREFIX || !KEY_PREFIX.test(wanted)) return undefined;
  const matching = all.filter(({ key }) => key.startsWith(wanted));
  return matching.length === 1 ? matching[0] : undefined;
}

/** A claim with all the words of a text wins over one that is only similar. */
function mostSimilar(all: readonly RecallEntry[], wanted: string): RecallEntry | undefined {
  const stems = stemsOf(wanted);
  if (stems.size === 0) return undefined;
  let best = LEAST_SIMILARITY;
  let found: RecallEntry | undefined;
  for (const entry of all) {
    const entryStems = stemsOf(entry.text);
    const alike = jaccard(stems, entryStems) + (lossFraction(stems, entryStems) === 0 ? 1 : 0);
    if (alike > best) [best, found] = [alike, entry];
  }
  return found;
}

/** Finds a sweep by its ID; by default, the last one. @throws SvcError DREAM_SWEEP_UNKNOWN */
export function findSweep(
  sweeps: Pick<SweepRecords, 'get' | 'list'>,
  id: string | undefined,
): SweepRecord {
  const found = id === undefined ? sweeps.list(1)[0] : sweeps.get(id);
  if (found !== undefined) return found;
  if (id !== undefined) throw unknownSweep(`sweep ${id} not found`);
  throw new SvcError('DREAM_SWEEP_UNKNOWN', 'no sweep has run yet', {
    hint: 'run one with "svc dream run"',
  });
}
