import { formatCountOf } from '../support/format.js';
import { iso, MS_PER_DAY } from '../support/time.js';
import type { BackfillSummary } from './backfill.js';
import type {
  DreamBackfillOutput,
  DreamCandidatesOutput,
  DreamExplainOutput,
  DreamSignalsOutput,
} from './claim-output-schemas.js';
import type { ClaimKey } from './claims/claim-words.js';
import type { DreamTarget } from './dream-targets.js';
import type { Candidate, ClaimExplanation } from './explain-claim.js';
import type {
  DecisionOutput,
  DreamShowOutput,
  EvaluationOutput,
  SweepOutput,
  SweepSummaryOutput,
} from './output-schemas.js';
import { type MemoryOperation, promotedEntries } from './promotion/memory-file.js';
import { lastSignalWords } from './scoring/gates.js';
import { averageScore, type RecallEntry, signalCount } from './scoring/recall-entry.js';
import {
  distinctAsks,
  MOST_LIGHT_BOOST,
  MOST_REM_BOOST,
  SIGNAL_NAMES,
  SIGNAL_WEIGHTS,
  type SignalName,
} from './scoring/score.js';
import type { SweepRecord } from './store/sweep-records.js';
import type { PromotionDecision } from './sweep/plan-promotions.js';
import type { SweepSummary } from './sweep/run-sweep.js';

/* The JSON documents of docs/json.md, which text views print too. */

/** The workspace a document is about. */
export function workspaceOutput({ workspace, agents }: DreamTarget) {
  return { workspace: workspace.dir, agents };
}

export function claimOutput({ key, text, source, path, startLine, endLine }: RecallEntry) {
  return { key, text, source, path, startLine, endLine };
}

function signalOutput(entry: RecallEntry) {
  return {
    recalls: entry.recallCount,
    notes: entry.dailyCount,
    grounded: entry.groundedCount,
    questions: distinctAsks(entry),
    days: entry.days.length,
    firstSignalAt: iso(entry.firstSignalMs),
    lastSignalAt: iso(entry.lastSignalMs),
  };
}

export function sweepOutput(sweep: SweepRecord): SweepOutput {
  const { id, day, trigger, startedMs, endedMs, phases, memoryState } = sweep;
  return {
    id,
    day,
    trigger,
    startedAt: iso(startedMs),
    endedAt: endedMs === null ? null : iso(endedMs),
    phases,
    memory: memoryState ?? 'untouched',
    written: countOf(sweep, 'add') + countOf(sweep, 'replace'),
    retired: countOf(sweep, 'retire'),
  };
}

function countOf({ operations }: SweepRecord, kind: MemoryOperation['kind']): number {
  return operations.filter((operation) => operation.kind === kind).length;
}

export function decisionOutput(decision: PromotionDecision): DecisionOutput {
  return {
    ...claimOutput(decision.entry),
    score: decision.score,
    decision: decision.decision,
    ...(decision.decision === 'renew' && { prior: decision.prior }),
    ...(decision.decision === 'skip' && { why: decision.why }),
  };
}

/** A sweep's result, and what was requested besides: searches with the changes of a dry run, the REM phase's report. */
export function sweepSummaryOutput(
  target: DreamTarget,
  summary: SweepSummary,
  { evaluation, remReport }: SummaryExtras,
): SweepSummaryOutput {
  const { sweep, searches, decisions, skipped, reportFaults, modelFaults } = summary;
  return {
    ...workspaceOutput(target),
    ok: Object.values(sweep.phases).every(({ state }) => state !== 'failed'),
    sweep: sweepOutput(sweep),
    searches,
    decisions: decisions.map(decisionOutput),
    skipped,
    reportFaults,
    modelFaults,
    ...(evaluation !== undefined && { evaluation }),
    ...(remReport !== undefined && { remReport }),
  };
}

interface SummaryExtras {
  readonly evaluation: EvaluationOutput | undefined;
  readonly remReport: string | undefined;
}

/** A sweep with every change it made to `MEMORY.md`. */
export function showOutput(target: DreamTarget, sweep: SweepRecord): DreamShowOutput {
  const { operations, promoted, backupFile } = sweep;
  const archives = new Map(
    operations.flatMap((one) => (one.kind === 'archive' ? [[one.key, one.path] as const] : [])),
  );
  const entries = operations.flatMap((operation) => changeOutput(operation, archives));
  const written = new Set(entries.map(({ key }) => key));
  return {
    ...workspaceOutput(target),
    sweep: sweepOutput(sweep),
    entries,
    said: promoted.filter((key) => !written.has(key)),
    backupFile,
  };
}

/** @param archives where entries were moved to, by key */
function changeOutput(
  operation: MemoryOperation,
  archives: ReadonlyMap<ClaimKey, string>,
): DreamShowOutput['entries'] {
  switch (operation.kind) {
    case 'frame':
    case 'archive':
      return [];
    case 'add':
      return entryOutput('add', operation.inserted);
    case 'replace': {
      const [prior] = promotedEntries(operation.before);
      const archive = prior && archives.get(prior.key);
      return entryOutput('replace', operation.after, { before: prior?.text, archive });
    }
    case 'retire':
      return entryOutput('retire', operation.before, { archive: archives.get(operation.key) });
  }
}

function entryOutput(
  change: DreamShowOutput['entries'][number]['change'],
  block: string,
  older: { readonly before?: string | undefined; readonly archive?: string | undefined } = {},
): DreamShowOutput['entries'] {
  const { before, archive } = older;
  return promotedEntries(block).map(({ key, text, path, lines, score }) => ({
    change,
    key,
    text,
    path,
    ...lines,
    score,
    ...(before !== undefined && { before }),
    ...(archive !== undefined && { archive }),
  }));
}

/** One row of `svc dream candidates`. */
export function candidateOutput({
  entry,
  score,
  gates,
  passes,
  promotes,
}: Candidate): DreamCandidatesOutput['candidates'][number] {
  const { lightBoost, remBoost } = score;
  return {
    ...claimOutput(entry),
    ...signalOutput(entry),
    score: score.score,
    passes,
    promotes,
    signals: score.signals,
    lightBoost,
    remBoost,
    failed: gates.filter(({ passed }) => !passed).map(({ gate }) => gate),
  };
}

/** One row of `svc dream signals`. */
export function recalledOutput(entry: RecallEntry): DreamSignalsOutput['claims'][number] {
  return {
    ...claimOutput(entry),
    ...signalOutput(entry),
    fate: entry.fate,
    averageScore: averageScore(entry),
    maxScore: entry.maxScore,
  };
}

type Part = DreamExplainOutput['parts'][number];

/** Every part of a claim's score, every gate, and its current state. */
export function explainOutput(
  target: DreamTarget,
  explanation: ClaimExplanation,
  nowMs: number,
): DreamExplainOutput {
  const { entry, score, gates, passes, relocation, comparison, trail } = explanation;
  return {
    ...workspaceOutput(target),
    ...claimOutput(entry),
    ...signalOutput(entry),
    fate: entry.fate,
    decidedAt: entry.fateMs === null ? null : iso(entry.fateMs),
    sweep: entry.fateSweep,
    tags: entry.tags,
    score: score.score,
    parts: partsOf(explanation, target, nowMs),
    gates,
    passes,
    note: relocation,
    longTermMemory: comparison,
    trail,
  };
}

function partsOf(
  { entry, score }: ClaimExplanation,
  { settings }: DreamTarget,
  nowMs: number,
): readonly Part[] {
  const { signals, lightBoost, remBoost } = score;
  const why = whyOf(entry, settings.phases.deep.recencyHalfLifeDays, nowMs);
  const boost = (part: 'light' | 'rem', weight: number, adds: number): Part => {
    const sweeps = formatCountOf(entry[`${part}Hits`], 'sweep');
    return { part, value: adds / weight, weight, adds, why: `in ${sweeps}` };
  };
  return [
    ...SIGNAL_NAMES.map((part): Part => {
      const weight = SIGNAL_WEIGHTS[part];
      return { part, value: signals[part], weight, adds: weight * signals[part], why: why[part] };
    }),
    boost('light', MOST_LIGHT_BOOST, lightBoost),
    boost('rem', MOST_REM_BOOST, remBoost),
  ];
}

/** Explains each signal. */
function whyOf(
  entry: RecallEntry,
  halfLifeDays: number,
  nowMs: number,
): Readonly<Record<SignalName, string>> {
  const count = signalCount(entry);
  const { recallCount, dailyCount, groundedCount, days, tags, lastSignalMs } = entry;
  const [first = '', last = first] = [days[0], days.at(-1)];
  const ageDays = Math.max(0, nowMs - lastSignalMs) / MS_PER_DAY;
  const grounded = groundedCount === 0 ? '' : ` + ${groundedCount} from a backfill`;
  return {
    frequency: `${formatCountOf(recallCount, 'recall')} + ${formatCountOf(dailyCount, 'note')}${grounded}`,
    relevance: `mean ${averageScore(entry).toFixed(2)} of ${formatCountOf(count, 'signal')}, best ${entry.maxScore.toFixed(2)}`,
    diversity: formatCountOf(
      distinctAsks(entry),
      'different question or day',
      'different questions or days',
    ),
    recency: `${lastSignalWords(ageDays)}, half-life ${formatCountOf(halfLifeDays, 'day')}`,
    consolidation: days.length < 2 ? '1 day' : `${days.length} days, ${first} to ${last}`,
    conceptual: tags.length === 0 ? 'no tags' : tags.join(', '),
  };
}

export function backfillOutput(
  target: DreamTarget,
  { id, staged, ...summary }: BackfillSummary,
): DreamBackfillOutput {
  const { dryRun, notes, notesLeft, leans, skipped } = summary;
  const claims = staged.map(({ key, text, path, startLine, endLine, lean }) => {
    return { key, text, path, startLine, endLine, lean };
  });
  // A dry run, or one without changes, cannot be rolled back.
  const name = dryRun || claims.length === 0 ? null : id;
  const backfilled = { dryRun, notes, notesLeft, leans, claims, skipped };
  return { ...workspaceOutput(target), id: name, backfilled };
}
