import { MEMORY_FILE } from './promotion/change-memory.js';
import { type Comparison, compareClaim, knownMemory } from './promotion/compare.js';
import { readGuarded } from './promotion/guarded-file.js';
import { type Relocation, relocateClaim } from './promotion/relocate.js';
import { checkGates, type GateResult } from './scoring/gates.js';
import type { RecallEntry } from './scoring/recall-entry.js';
import { type ClaimScore, scoreClaim } from './scoring/score.js';
import type { RecallEntries } from './store/recall-entries.js';
import type { DreamSources } from './sweep/dream-sources.js';
import { type DreamSettings, MS_PER_DAY } from './sweep/phase-context.js';

/** A claim with its score and its gates. */
export interface ScoredClaim {
  readonly entry: RecallEntry;
  readonly score: ClaimScore;
  readonly gates: readonly GateResult[];
  /** Whether the next sweep would take it. */
  readonly passes: boolean;
}

/** Everything that decides on a claim. */
export interface ClaimExplanation extends ScoredClaim {
  /** What its note says now. */
  readonly relocation: Relocation['state'];
  /** How it stands to what long-term memory says. */
  readonly comparison: Comparison['verdict'];
}

/** Scores a claim and checks every gate. */
function scoredClaim(
  entry: RecallEntry,
  { phases }: Pick<DreamSettings, 'phases'>,
  nowMs: number,
): ScoredClaim {
  const score = scoreClaim(entry, nowMs, phases.deep.recencyHalfLifeDays);
  const gates = checkGates(entry, score, phases.deep, nowMs);
  return { entry, score, gates, passes: gates.every(({ passed }) => passed) };
}

/**
 * The open claims that are young enough to be promoted, the best first; those that pass every gate before
 * those that do not.
 */
export function candidates(
  entries: RecallEntries,
  settings: Pick<DreamSettings, 'phases'>,
  nowMs: number,
): ScoredClaim[] {
  return entries
    .since(nowMs - settings.phases.deep.maxAgeDays * MS_PER_DAY)
    .filter(({ state }) => state.fate === 'open')
    .map((entry) => scoredClaim(entry, settings, nowMs))
    .sort(
      (a, b) =>
        Number(b.passes) - Number(a.passes) ||
        b.score.score - a.score.score ||
        (a.entry.key < b.entry.key ? -1 : 1),
    );
}

/**
 * Why a claim is or is not promoted.
 *
 * @param dir the workspace's real path
 * @throws SvcError DREAM_FILE_REFUSED
 */
export function explainClaim(
  entry: RecallEntry,
  dir: string,
  sources: Pick<DreamSources, 'read'>,
  settings: Pick<DreamSettings, 'phases'>,
  nowMs: number,
): ClaimExplanation {
  const note = sources.read(entry.place);
  const known = knownMemory(readGuarded(dir, MEMORY_FILE).text);
  const { maxPriorEntryLossFraction } = settings.phases.deep;
  return {
    ...scoredClaim(entry, settings, nowMs),
    relocation: note === undefined ? 'missing' : relocateClaim(note, entry).state,
    comparison: compareClaim(entry.text, known, maxPriorEntryLossFraction).verdict,
  };
}
