import { resolveWorkspace } from '../memory/sources/index.js';
import { MEMORY_FILE, readGuarded } from '../memory-files/guarded-file.js';
import { letOthersRun } from '../support/async.js';
import { MS_PER_DAY } from '../support/time.js';
import type { DreamExplainOutput } from './claim-output-schemas.js';
import type { ClaimKey } from './claims/claim-words.js';
import { findClaim } from './decide-by-hand.js';
import type { DreamTarget } from './dream-targets.js';
import { compareClaim, knownMemory } from './promotion/compare.js';
import { type MemoryOperation, promotedEntries } from './promotion/memory-file.js';
import { checkGates } from './scoring/gates.js';
import { type RecallEntry, signalDay } from './scoring/recall-entry.js';
import { type Moment, poolEvidence, pooledClaim } from './scoring/score.js';
import type { RecallEntries } from './store/recall-entries.js';
import type { SweepRecords } from './store/sweep-records.js';
import { checkClaim, readStatements, relocateClaim } from './sweep/check-claim.js';
import { type DreamSettings, type DreamSources, openSources } from './sweep/dream-sources.js';
import { withCurrentDreams, withNextSweep } from './with-dreams.js';

/** Everything that decides whether a claim is promoted. */
export type ClaimExplanation = Awaited<ReturnType<typeof explainClaim>>;

type TrailStep = DreamExplainOutput['trail'][number];

/** What sweeps did to a claim's entry in `MEMORY.md`, oldest first. */
function trailOf(key: ClaimKey, sweeps: Pick<SweepRecords, 'list'>): readonly TrailStep[] {
  return sweeps
    .list()
    .toReversed()
    .flatMap(({ id, day, memoryState, operations }) =>
      memoryState !== 'applied'
        ? []
        : operations.flatMap((operation) => {
            const step = stepOf(key, operation);
            return step === undefined ? [] : [{ sweep: id, day, ...step }];
          }),
    );
}

function stepOf(
  key: ClaimKey,
  operation: MemoryOperation,
): Pick<TrailStep, 'change' | 'other'> | undefined {
  if (operation.kind === 'replace') {
    const [before] = promotedEntries(operation.before);
    const [after] = promotedEntries(operation.after);
    if (operation.key === key) return { change: 'replaced', other: before?.text ?? null };
    return before?.key === key ? { change: 'superseded', other: after?.text ?? null } : undefined;
  }
  if (operation.kind === 'frame' || operation.key !== key) return undefined;
  if (operation.kind === 'add') return { change: 'added', other: null };
  return operation.kind === 'retire' ? { change: 'retired', other: null } : undefined;
}

/** An open claim, and whether the next sweep would promote it. */
export type Candidate = ReturnType<typeof checkGates> & { readonly promotes: boolean };

/** The {@link candidates} of the next sweep. @throws SvcError as withNextSweep */
export function nextCandidates(target: DreamTarget, moment: Moment): Promise<Candidate[]> {
  return withNextSweep(target, moment, ({ entries }, next) =>
    candidates(entries, next, target.settings, moment),
  );
}

/** Other work goes on after so many claims. */
const STEP = 1000;

/**
 * The open claims within the age limit, best first, starting with those that the next sweep would promote.
 *
 * @param next claims that the next sweep would promote
 * @throws the signal's reason
 */
export async function candidates(
  entries: RecallEntries,
  next: ReadonlySet<ClaimKey>,
  settings: Pick<DreamSettings, 'phases'>,
  { nowMs, signal }: Moment,
): Promise<Candidate[]> {
  const sinceMs = nowMs - settings.phases.deep.maxAgeDays * MS_PER_DAY;
  const pooled = await poolEvidence(entries, sinceMs, signal);
  const open = entries.since(sinceMs).filter(({ fate }) => fate === 'open');
  const found: Candidate[] = [];
  for (const entry of open) {
    if (found.length % STEP === 0) await letOthersRun(signal);
    const checked = checkGates(pooled.get(entry.key) ?? entry, settings.phases.deep, nowMs);
    found.push({ ...checked, promotes: next.has(entry.key) });
  }
  return found.sort(
    (a, b) =>
      Number(b.promotes) - Number(a.promotes) ||
      Number(b.passes) - Number(a.passes) ||
      b.score.score - a.score.score ||
      (a.entry.key < b.entry.key ? -1 : 1),
  );
}

/**
 * Why a claim is or is not promoted.
 *
 * @param wanted see findClaim
 * @throws SvcError DREAM_CLAIM_UNKNOWN, DREAM_FILE_REFUSED, DREAM_STORE_*
 */
export async function explainClaim(target: DreamTarget, wanted: string, moment: Moment) {
  const { nowMs, signal } = moment;
  const { deep } = target.settings.phases;
  const { entry, trail } = await withCurrentDreams(target, signal, async ({ entries, sweeps }) => {
    const found = await pooledClaim(findClaim(entries, wanted), entries, deep, moment);
    return { entry: found, trail: trailOf(found.key, sweeps) };
  });
  const { text } = readGuarded(resolveWorkspace(target.workspace.dir), MEMORY_FILE);
  const sources = await openSources(target);
  const statements = await readStatements(sources, signalDay(entry), LAST_DAY, signal);
  return {
    ...checkGates(entry, deep, nowMs),
    trail,
    /** Whether its note still contains it and later notes agree. */
    relocation: checkClaim(entry, sources, statements).state,
    /** How it relates to `MEMORY.md`. */
    comparison: compareClaim(entry.text, knownMemory(text), deep.maxPriorEntryLossFraction).verdict,
  };
}

const LAST_DAY = '9999-12-31';

/**
 * The current lines of a note around a claim, and those of the claim or of a similar statement; no lines if the note is
 * missing. Line numbers are 1-based.
 *
 * @param margin number of lines before and after the claim
 */
export function claimPassage(
  entry: RecallEntry,
  sources: Pick<DreamSources, 'read'>,
  margin: number,
) {
  const note = sources.read(entry);
  if (note === undefined) {
    return { state: 'missing', startLine: 1, lines: [], claim: undefined } as const;
  }
  const relocation = relocateClaim(note, entry);
  const { state } = relocation;
  const claim =
    state === 'found' ? relocation.claim : state === 'changed' ? relocation.closest : undefined;
  const { startLine, endLine } = claim ?? entry;
  const first = Math.max(note.startLine, startLine - margin);
  const lines = note.lines.slice(first - note.startLine, endLine + margin + 1 - note.startLine);
  return { state, startLine: first, lines, claim };
}

/**
 * The claims that answered a search, latest signal first.
 *
 * @param all include claims found only in notes
 */
export function recalledClaims(
  entries: Pick<RecallEntries, 'since'>,
  all: boolean,
): readonly RecallEntry[] {
  return entries
    .since(0)
    .filter(({ recallCount }) => all || recallCount > 0)
    .sort((a, b) => b.lastSignalMs - a.lastSignalMs || (a.key < b.key ? -1 : 1));
}
