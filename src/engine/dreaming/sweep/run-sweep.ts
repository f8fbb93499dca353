import { asSvcError, messageOf } from '../../errors/index.js';
import type { SkippedFile } from '../../memory/index.js';
import { resolveWorkspace } from '../../memory/sources/index.js';
import { inRolledBackTransaction } from '../../sqlite/database.js';
import { anySignal, letOthersRun } from '../../support/async.js';
import type { Clock } from '../../support/context.js';
import { dayFormatter, daysBefore } from '../../support/day.js';
import type { DreamTarget } from '../dream-targets.js';
import { type DiaryMaterial, type Narrator, plainDiaryText } from '../narrator.js';
import {
  type MemoryChanger,
  type PlannedFile,
  recoverChanges,
} from '../promotion/change-memory.js';
import { ingestRecalls } from '../recall-log/ingest-recalls.js';
import type { SharedRecalls } from '../recall-log/shared-recalls.js';
import type { RecallEntry } from '../scoring/recall-entry.js';
import { type OpenDreams, withLockedDreams } from '../store/dream-database.js';
import {
  newSweep,
  PHASES,
  type PhaseName,
  type PhaseRecord,
  type SweepRecord,
  type SweepTrigger,
} from '../store/sweep-records.js';
import { type DeepResult, deepPhase } from './deep-phase.js';
import { type DreamSources, openSources, type PhaseContext } from './dream-sources.js';
import { type LightResult, lightPhase, recentMessages } from './light-phase.js';
import { isWritten, type PromotionDecision } from './plan-promotions.js';
import { type RemResult, remPhase } from './rem-phase.js';
import { deepReport, lightReport, remReport, writeDiary, writeReport } from './reports.js';

/** What is swept, and how. */
export interface SweepOptions extends Omit<DreamTarget, 'agents'> {
  readonly clock: Clock;
  readonly trigger: SweepTrigger;
  /** Run only these phases; default: all that are enabled. */
  readonly only?: readonly PhaseName[] | undefined;
  /** Report what would happen and change nothing. */
  readonly dryRun?: boolean | undefined;
  /** Rewords promotions and the diary; without it they use plain text. */
  readonly narrator?: Narrator | undefined;
  readonly signal: AbortSignal;
  /** Default: ten minutes. */
  readonly timeLimitMs?: number | undefined;
  readonly onEvent?: ((event: SweepEvent) => void) | undefined;
}

/** Progress of a sweep. */
export type SweepEvent =
  | { readonly type: 'sweep.waiting' }
  | { readonly type: 'sweep.started' }
  | { readonly type: 'recalls.ingested'; readonly searches: number }
  | { readonly type: 'phase.ended'; readonly phase: PhaseName; readonly record: PhaseRecord }
  /** The phase's report in Markdown, whether or not it is written to a file. */
  | { readonly type: 'phase.reported'; readonly phase: PhaseName; readonly report: string };

/** The result of a sweep. */
export interface SweepSummary {
  readonly sweep: SweepRecord;
  readonly searches: number;
  readonly decisions: readonly PromotionDecision[];
  readonly skipped: readonly SkippedFile[];
  /** Why the diary or a report could not be written; the phase still counts as done. */
  readonly reportFaults: readonly string[];
  /** Why the model's text was not used. */
  readonly modelFaults: readonly string[];
  /** Only of a dry run. */
  readonly preview?: SweepPreview | undefined;
}

/** What a dry run would write, and what it can be tested with. */
export interface SweepPreview {
  readonly files: readonly PlannedFile[];
  /** Claims that answered searches, in no order. */
  readonly recalled: readonly RecallEntry[];
}

const TIME_LIMIT_MS = 10 * 60_000;
const OUT_OF_TIME = 'the sweep reached its time limit; the next one continues';
const INTERRUPTED = 'the sweep was interrupted; the next one continues';
const MOST_SWEEPS_A_DAY = 100;
/** Marks of counted claims are kept for this many days. */
const KEEP_MARKS_DAYS = 400;

/**
 * Runs the light, REM and deep phases over one workspace, one sweep at a time across all processes. A
 * failed phase is recorded and the others still run. If a sweep is killed, the next one completes or
 * discards the change it had planned.
 *
 * @throws SvcError WORKSPACE_MISSING, WORKSPACE_UNREADABLE, DREAM_STORE_NEWER, DREAM_STORE_UNUSABLE,
 *   FORGET_LIST_INVALID; the signal's reason
 */
export async function runSweep(options: SweepOptions): Promise<SweepSummary> {
  const { workspace, signal, onEvent } = options;
  const { shared } = options.agentSources;
  const onWait = (): void => onEvent?.({ type: 'sweep.waiting' });
  const work = (signal: AbortSignal, logs: readonly SharedRecalls[]): Promise<SweepSummary> =>
    withLockedDreams(workspace, { signal, onWait }, async (dreams) => {
      const sources = await openSources(options);
      const sweep = new Sweep(dreams, sources, { ...options, signal }, logs);
      if (options.dryRun !== true) return await sweep.run();
      return await inRolledBackTransaction(dreams.database, () => sweep.run());
    });
  if (shared === undefined) return work(signal, []);
  const { withSharedSweep } = await import('../recall-log/shared-recalls.js');
  return withSharedSweep(shared, { signal, onWait }, work);
}

class Sweep {
  private readonly logs: readonly SharedRecalls[];
  private readonly options: SweepOptions;
  private readonly context: MemoryChanger & PhaseContext;
  private readonly timeLimit: AbortSignal;
  private readonly faults: string[] = [];
  private lightResult: LightResult | undefined;
  private remResult: RemResult | undefined;
  private deepResult: DeepResult | undefined;
  private record: SweepRecord;

  constructor(
    dreams: OpenDreams,
    sources: DreamSources,
    options: SweepOptions,
    logs: readonly SharedRecalls[],
  ) {
    const { workspace, settings, trigger } = options;
    const nowMs = options.clock.now();
    const dayOf = dayFormatter(options.timeZone);
    const day = dayOf(nowMs);
    const { sweeps } = dreams;
    this.logs = logs;
    this.options = options;
    this.timeLimit = AbortSignal.timeout(options.timeLimitMs ?? TIME_LIMIT_MS);
    const today = sweeps.list(MOST_SWEEPS_A_DAY).filter((sweep) => sweep.day === day);
    this.context = {
      ...dreams,
      dir: resolveWorkspace(workspace.dir),
      backupDir: workspace.files.backupDir,
      dryRun: options.dryRun === true,
      sources,
      phases: settings.phases,
      nowMs,
      day,
      dayOf,
      dayStartMs: Math.min(nowMs, ...today.map(({ startedMs }) => startedMs)),
      signal: anySignal([options.signal, this.timeLimit]),
    };
    this.record = newSweep(sweeps, { day, trigger, startedMs: nowMs });
  }

  async run(): Promise<SweepSummary> {
    const { logs, context } = this;
    const { entries, day, sources, dryRun } = context;
    const { workspace } = this.options;
    this.emit({ type: 'sweep.started' });
    recoverChanges(context);
    this.save(this.record);
    let searches = 0;
    try {
      searches = await ingestRecalls({ ...context, workspace, logs, rotates: !dryRun });
      this.emit({ type: 'recalls.ingested', searches });
      for (const phase of PHASES) {
        // Phases are synchronous: let the rest of the process run in between.
        await letOthersRun();
        await this.runPhase(phase);
      }
      await this.writeDiary();
      entries.prune(daysBefore(day, KEEP_MARKS_DAYS));
    } finally {
      // An interrupted or failed sweep gets an end too; only a killed one has none.
      this.save({ ...this.record, endedMs: this.options.clock.now() });
    }
    return {
      sweep: this.record,
      searches,
      decisions: this.deepResult?.decisions ?? [],
      skipped: sources.skipped,
      reportFaults: this.faults,
      modelFaults: this.options.narrator?.faults ?? [],
      preview: dryRun
        ? { files: this.deepResult?.files ?? [], recalled: this.recalledClaims() }
        : undefined,
    };
  }

  private async runPhase(phase: PhaseName): Promise<void> {
    const { only, settings, clock } = this.options;
    const isOff = only === undefined ? !settings.phases[phase].enabled : !only.includes(phase);
    if (isOff) {
      this.endPhase(phase, { state: 'off' });
      return;
    }
    const startedMs = clock.now();
    try {
      this.context.signal.throwIfAborted();
      const { counts, report } = await this[phase]();
      this.endPhase(phase, { state: 'done', ms: clock.now() - startedMs, counts });
      this.emit({ type: 'phase.reported', phase, report });
      const place = { ...this.context, storage: settings.storage };
      this.tryWriting(() => writeReport(place, phase, report));
    } catch (error) {
      const why = this.whyFailed(error);
      const { code, hint } = asSvcError(error) ?? {};
      const ms = clock.now() - startedMs;
      this.endPhase(phase, { state: 'failed', ms, error: why, code, hint });
      // Running out of time fails the phase; an interrupt ends the sweep.
      this.options.signal.throwIfAborted();
    }
  }

  private async light(): Promise<PhaseOutcome> {
    const result = lightPhase(this.context, await recentMessages(this.context));
    this.lightResult = result;
    const { notes, messages, noted, staged } = result;
    const counts = { notes, messages, noted, staged: staged.length };
    return { counts, report: lightReport(result) };
  }

  private rem(): PhaseOutcome {
    const result = remPhase(this.context);
    this.remResult = result;
    const { considered, themes, truths } = result;
    const counts = { considered, themes: themes.length, truths: truths.length };
    return { counts, report: remReport(result) };
  }

  private async deep(): Promise<PhaseOutcome> {
    const result = await deepPhase(this.context, this.record, this.narrator());
    this.deepResult = result;
    this.record = result.sweep;
    const { considered, passed, newer } = result;
    const counts = { considered, passed, newer, promote: 0, renew: 0, said: 0, skip: 0 };
    for (const { decision } of result.decisions) counts[decision] += 1;
    return { counts, report: deepReport(result) };
  }

  private recalledClaims(): readonly RecallEntry[] {
    const recalled: RecallEntry[] = [];
    // One at a time: most claims were only found in notes.
    for (const entry of this.context.entries.eachSince(0)) {
      if (entry.recallCount > 0) recalled.push(entry);
    }
    return recalled;
  }

  private async writeDiary(): Promise<void> {
    const { earlier = [], decisions = [] } = this.deepResult ?? {};
    const promoted = [...earlier, ...decisions.filter(isWritten).map(({ entry }) => entry)];
    const material: DiaryMaterial = {
      snippets: (this.lightResult?.staged ?? []).slice(0, 12).map(({ text }) => text),
      themes: (this.remResult?.themes ?? []).slice(0, 6).map(({ tag }) => tag),
      promotions: promoted.slice(0, 5).map(({ text }) => text),
    };
    if (promoted.length === 0 && material.themes.length === 0) return;
    const text = await this.diaryText(material);
    this.tryWriting(() => writeDiary(this.context.dir, this.context.day, text));
  }

  private async diaryText(material: DiaryMaterial): Promise<string> {
    const { signal } = this.context;
    const narrator = signal.aborted ? undefined : this.narrator();
    try {
      return (await narrator?.diary(material, signal)) ?? plainDiaryText(material);
    } catch (error) {
      if (!this.isOutOfTime(error)) throw error;
      return plainDiaryText(material);
    }
  }

  private whyFailed(error: unknown): string {
    if (this.options.signal.aborted) return INTERRUPTED;
    return this.isOutOfTime(error) ? OUT_OF_TIME : messageOf(error);
  }

  private isOutOfTime(error: unknown): boolean {
    return this.timeLimit.aborted && error === this.timeLimit.reason;
  }

  /** A dry run makes no paid requests. */
  private narrator(): Narrator | undefined {
    return this.context.dryRun ? undefined : this.options.narrator;
  }

  private endPhase(phase: PhaseName, record: PhaseRecord): void {
    // A failed phase may have left a planned change, which the next sweep completes or discards.
    const known = this.context.sweeps.get(this.record.id) ?? this.record;
    this.save({ ...known, phases: { ...known.phases, [phase]: record } });
    this.emit({ type: 'phase.ended', phase, record });
  }

  private save(record: SweepRecord): void {
    this.record = record;
    this.context.sweeps.put(record);
  }

  private tryWriting(write: () => void): void {
    if (this.context.dryRun) return;
    try {
      write();
    } catch (error) {
      this.faults.push(messageOf(error));
    }
  }

  private emit(event: SweepEvent): void {
    this.options.onEvent?.(event);
  }
}

interface PhaseOutcome {
  readonly counts: Readonly<Record<string, number>>;
  readonly report: string;
}
