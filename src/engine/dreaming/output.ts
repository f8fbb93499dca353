import { type DreamStatus, nextSweepMs } from './dream-status.js';
import type { DreamTarget } from './dream-targets.js';
import type { ScoredClaim } from './explain-claim.js';
import type {
  DecisionOutput,
  DreamCandidatesOutput,
  DreamShowOutput,
  DreamSignalsOutput,
  DreamStatusOutput,
  SweepOutput,
  SweptOutput,
} from './output-schemas.js';
import { type MemoryOperation, promotedEntries } from './promotion/memory-file.js';
import { type RecallEntry, signalCount } from './scoring/recall-entry.js';
import type { SweepRecord } from './store/sweep-records.js';
import type { PromotionDecision } from './sweep/plan-promotions.js';
import type { SweepSummary } from './sweep/sweep-events.js';

/*
 * The JSON shapes of docs/json.md, made from what the engine answers. One place, so that all commands and
 * views give the same.
 */

/** The workspace that a document is about. */
export function placeOutput({ workspace, agents }: DreamTarget) {
  return { workspace: workspace.dir, agents };
}

/** A claim by itself. */
export function claimOutput({ key, text, place }: RecallEntry) {
  const { source, path, startLine, endLine } = place;
  return { key, text, source, path, startLine, endLine };
}

/** How often a claim showed that it may be useful, and when. */
export function signalOutput(entry: RecallEntry) {
  return {
    recalls: entry.recallCount,
    notes: entry.dailyCount,
    grounded: entry.groundedCount,
    questions: entry.queryHashes.length,
    days: entry.days.length,
    firstSignalAt: iso(entry.firstSignalMs),
    lastSignalAt: iso(entry.lastSignalMs),
  };
}

/** One sweep, as it is remembered. */
export function sweepOutput(sweep: SweepRecord): SweepOutput {
  const { id, day, trigger, startedMs, endedMs, phases, memory } = sweep;
  return {
    id,
    day,
    trigger,
    startedAt: iso(startedMs),
    endedAt: endedMs === undefined ? null : iso(endedMs),
    phases,
    memory: memory.state,
    written: memory.state === 'untouched' ? 0 : memory.operations.filter(isWritten).length,
  };
}

function isWritten({ kind }: MemoryOperation): boolean {
  return kind === 'add' || kind === 'replace';
}

/** What was decided about a claim. */
export function decisionOutput(decision: PromotionDecision): DecisionOutput {
  const base = { ...claimOutput(decision.entry), score: decision.score };
  switch (decision.decision) {
    case 'renew':
      return { ...base, decision: 'renew', prior: decision.prior };
    case 'skip':
      return { ...base, decision: 'skip', why: decision.why };
    case 'promote':
    case 'said':
      return { ...base, decision: decision.decision };
  }
}

/** @param remReport of the REM phase, for those who asked for it */
export function sweptOutput(
  target: DreamTarget,
  summary: SweepSummary,
  remReport: string | undefined,
): SweptOutput {
  const { sweep, searches, decisions, skipped, reportFaults, modelFaults } = summary;
  return {
    ...placeOutput(target),
    ok: Object.values(sweep.phases).every(({ state }) => state !== 'failed'),
    sweep: sweepOutput(sweep),
    searches,
    decisions: decisions.map(decisionOutput),
    skipped,
    reportFaults,
    modelFaults,
    ...(remReport === undefined ? {} : { remReport }),
  };
}

/** One workspace of `svc dream status`. */
export function statusOutput(
  status: DreamStatus,
  nowMs: number,
): DreamStatusOutput['workspaces'][number] {
  const { target, isBusy, lastSweep, claims, recallLog, memory } = status;
  const nextMs = nextSweepMs(target, nowMs);
  return {
    ...placeOutput(target),
    timeZone: target.timeZone ?? null,
    nextRunAt: nextMs === undefined ? null : iso(nextMs),
    busy: isBusy,
    lastSweep: lastSweep === undefined ? null : sweepOutput(lastSweep),
    claims,
    recallLog,
    memory: memory.ok
      ? { promoted: memory.promoted, mostPromoted: memory.mostPromoted, bytes: memory.bytes }
      : null,
    fault: memory.ok ? null : memory.why,
  };
}

/** A sweep with every change it made to `MEMORY.md`. */
export function showOutput(target: DreamTarget, sweep: SweepRecord): DreamShowOutput {
  const memory = sweep.memory.state === 'untouched' ? undefined : sweep.memory;
  const entries = (memory?.operations ?? []).flatMap(changeOutput);
  const written = new Set(entries.map(({ key }) => key));
  return {
    ...placeOutput(target),
    sweep: sweepOutput(sweep),
    entries,
    said: (memory?.decided ?? []).filter((key) => !written.has(key)),
    backupFile: memory?.backupFile ?? null,
  };
}

function changeOutput(operation: MemoryOperation): DreamShowOutput['entries'] {
  switch (operation.kind) {
    case 'frame':
      return [];
    case 'add':
      return entryOutput('add', operation.inserted);
    case 'replace':
      return entryOutput('replace', operation.after, operation.before);
    case 'retire':
      return entryOutput('retire', operation.before);
  }
}

function entryOutput(
  change: DreamShowOutput['entries'][number]['change'],
  block: string,
  before?: string,
): DreamShowOutput['entries'] {
  const prior = before === undefined ? undefined : promotedEntries(before)[0]?.text;
  return promotedEntries(block).map(({ key, text, path, lines, score }) => {
    return { change, key, text, path, ...lines, score, ...(prior ? { before: prior } : {}) };
  });
}

/** One row of `svc dream candidates`. */
export function candidateOutput({
  entry,
  score,
  gates,
  passes,
}: ScoredClaim): DreamCandidatesOutput['candidates'][number] {
  const { lightBoost, remBoost } = score;
  return {
    ...claimOutput(entry),
    ...signalOutput(entry),
    score: score.score,
    passes,
    signals: score.signals,
    lightBoost,
    remBoost,
    failed: gates.filter(({ passed }) => !passed).map(({ gate }) => gate),
  };
}

/** One row of `svc dream signals`. */
export function recalledOutput(entry: RecallEntry): DreamSignalsOutput['claims'][number] {
  const count = signalCount(entry);
  return {
    ...claimOutput(entry),
    ...signalOutput(entry),
    fate: entry.state.fate,
    averageScore: count === 0 ? 0 : Math.min(1, entry.totalScore / count),
    maxScore: entry.maxScore,
  };
}

/** A moment as documents have it. */
export function iso(ms: number): string {
  return new Date(ms).toISOString();
}
