import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../context.js';
import { messageOf } from '../../errors/index.js';
import { withProcessLock } from '../../process-lock.js';
import { dayFormatter, daysBefore } from '../day.js';
import { type DreamWorkspace, realWorkspaceDir } from '../dream-workspace.js';
import type { Narrator } from '../model/narrator.js';
import { type MemoryChanger, recoverChanges } from '../promotion/change-memory.js';
import { ingestRecalls } from '../recall-log/ingest-recalls.js';
import { plainDiaryText, writeDiary } from '../reports/diary.js';
import { deepReport, lightReport, remReport } from '../reports/phase-reports.js';
import { writeReport } from '../reports/write-reports.js';
import { openDreamDatabase } from '../store/dream-database.js';
import { recallEntries } from '../store/recall-entries.js';
import {
  PHASES,
  type PhaseName,
  type PhaseRecord,
  type SweepRecord,
  type SweepTrigger,
  sweepRecords,
} from '../store/sweep-records.js';
import { deepPhase } from './deep-phase.js';
import { type DreamReach, type DreamSources, openSources } from './dream-sources.js';
import { lightPhase } from './light-phase.js';
import type { DreamSettings, PhaseContext } from './phase-context.js';
import type { PromotionDecision } from './plan-promotions.js';
import { remPhase } from './rem-phase.js';
import type { SweepEvent, SweepSummary } from './sweep-events.js';
import { newSweepId } from './sweep-id.js';

/** How a sweep runs. */
export interface SweepOptions {
  readonly settings: DreamSettings;
  readonly reach: DreamReach;
  /** Of day boundaries; undefined means the host's. */
  readonly timeZone: string | undefined;
  readonly clock: Clock;
  readonly trigger: SweepTrigger;
  /** Only these phases; all that are switched on when absent. */
  readonly only?: readonly PhaseName[] | undefined;
  /** Look and tell, and leave everything as it was. */
  readonly dryRun?: boolean | undefined;
  /** Puts promotions and the diary into better words; plain ones without it. */
  readonly narrator?: Narrator | undefined;
  readonly signal: AbortSignal;
  readonly onEvent?: ((event: SweepEvent) => void) | undefined;
}

/** Longer than this a sweep does not go on, in milliseconds: the next one takes up what is left. */
const MOST_SWEEP_MS = 10 * 60_000;
const MOST_SWEEPS_A_DAY = 100;
/** Marks of claims that were counted already are kept this long, in days. */
const KEEP_MARKS_DAYS = 400;

/**
 * Runs light, REM and deep over one workspace, one sweep at a time across all processes. A phase that fails
 * is recorded, and the others run all the same. Killed at any point, the next sweep finds either nothing
 * begun or what was planned, and ends it.
 *
 * @throws SvcError WORKSPACE_MISSING, WORKSPACE_UNREADABLE, DREAM_STORE_NEWER, DREAM_STORE_UNUSABLE,
 *   FORGET_LIST_INVALID; the signal's reason
 */
export async function runSweep(
  workspace: DreamWorkspace,
  options: SweepOptions,
): Promise<SweepSummary> {
  const { signal, onEvent } = options;
  const onWait = (): void => onEvent?.({ type: 'sweep.waiting' });
  return withProcessLock(workspace.files.lock, { signal, onWait }, async () => {
    const database = openDreamDatabase(workspace.files.database);
    try {
      const sources = await openSources(realWorkspaceDir(workspace), options.reach);
      const sweep = new Sweep(workspace, database, sources, options);
      if (options.dryRun !== true) return await sweep.run();
      database.exec('BEGIN IMMEDIATE');
      try {
        return await sweep.run();
      } finally {
        database.exec('ROLLBACK');
      }
    } finally {
      database.close();
    }
  });
}

type Connection = ReturnType<typeof openDreamDatabase>;

/** One sweep from its first line in the records to its last. */
class Sweep {
  private readonly workspace: DreamWorkspace;
  private readonly options: SweepOptions;
  private readonly context: PhaseContext;
  private readonly changer: MemoryChanger;
  private readonly faults: string[] = [];
  private decisions: readonly PromotionDecision[] = [];
  private promotedToday: readonly string[] = [];
  private diary = { snippets: [] as readonly string[], themes: [] as readonly string[] };
  private record: SweepRecord;

  constructor(
    workspace: DreamWorkspace,
    database: Connection,
    sources: DreamSources,
    options: SweepOptions,
  ) {
    const nowMs = options.clock.now();
    const dayOf = dayFormatter(options.timeZone);
    const dir = realWorkspaceDir(workspace);
    const entries = recallEntries(database);
    this.workspace = workspace;
    this.options = options;
    this.changer = {
      dir,
      backupDir: workspace.files.backupDir,
      database,
      entries,
      sweeps: sweepRecords(database),
      nowMs,
      dryRun: options.dryRun === true,
    };
    this.context = {
      database,
      entries,
      sources,
      phases: options.settings.phases,
      nowMs,
      day: dayOf(nowMs),
      dayOf,
      dayStartMs: firstOfDay(this.changer, dayOf(nowMs), nowMs),
      signal: AbortSignal.any([options.signal, AbortSignal.timeout(MOST_SWEEP_MS)]),
    };
    this.record = {
      id: newSweepId(nowMs, this.changer.sweeps),
      day: this.context.day,
      trigger: options.trigger,
      startedMs: nowMs,
      endedMs: undefined,
      phases: {},
      memory: { state: 'untouched' },
    };
  }

  async run(): Promise<SweepSummary> {
    const { database, entries, dayOf, day, sources } = this.context;
    const { dir } = this.changer;
    const dryRun = this.options.dryRun === true;
    this.tell({ type: 'sweep.started', id: this.record.id, dir });
    recoverChanges(this.changer);
    this.save(this.record);
    const { recallLog: logFile } = this.workspace.files;
    const recalls = ingestRecalls({ database, entries, logFile, dayOf, rotates: !dryRun });
    this.tell({ type: 'recalls.ingested', ...recalls });
    for (const phase of PHASES) {
      // Whatever else this process does gets its turn.
      await nextTurn();
      await this.runPhase(phase);
    }
    await this.writeDiary();
    entries.prune(daysBefore(day, KEEP_MARKS_DAYS));
    this.save({ ...this.record, endedMs: this.options.clock.now() });
    const summary: SweepSummary = {
      sweep: this.record,
      dir,
      dryRun,
      searches: recalls.searches,
      decisions: this.decisions,
      skipped: sources.skipped,
      reportFaults: this.faults,
      modelFaults: this.options.narrator?.faults ?? [],
    };
    this.tell({ type: 'sweep.ended', summary });
    return summary;
  }

  private async runPhase(phase: PhaseName): Promise<void> {
    const { only, settings, clock } = this.options;
    const isOff = only === undefined ? !settings.phases[phase].enabled : !only.includes(phase);
    if (isOff) {
      this.note(phase, { state: 'off' });
      return;
    }
    this.tell({ type: 'phase.started', phase });
    const startedMs = clock.now();
    try {
      const { counts, report } = await this[phase]();
      this.note(phase, { state: 'done', ms: clock.now() - startedMs, counts });
      this.tell({ type: 'phase.reported', phase, report });
      this.tryWriting(() => writeReport(this.reportPlace(), phase, report));
    } catch (error) {
      this.context.signal.throwIfAborted();
      this.note(phase, { state: 'failed', ms: clock.now() - startedMs, error: messageOf(error) });
    }
  }

  private light(): PhaseOutcome {
    const result = lightPhase(this.context);
    this.diary = { ...this.diary, snippets: result.staged.slice(0, 12).map(({ text }) => text) };
    const { notes, messages, noted, staged } = result;
    const counts = { notes, messages, noted, staged: staged.length };
    return { counts, report: lightReport(result) };
  }

  private rem(): PhaseOutcome {
    const result = remPhase(this.context);
    this.diary = { ...this.diary, themes: result.themes.slice(0, 6).map(({ tag }) => tag) };
    const { considered, themes, truths } = result;
    const counts = { considered, themes: themes.length, truths: truths.length };
    return { counts, report: remReport(result) };
  }

  private async deep(): Promise<PhaseOutcome> {
    const { changer, context } = this;
    const result = await deepPhase(context, changer, this.record, this.narrator());
    this.record = result.sweep;
    this.decisions = result.decisions;
    const written = result.decisions.filter(isWritten).map(({ entry }) => entry);
    this.promotedToday = [...result.earlier, ...written].map(({ text }) => text);
    for (const decision of result.decisions) this.tell({ type: 'claim.decided', decision });
    const { considered, passed } = result;
    return {
      counts: { considered, passed, ...countDecisions(result.decisions) },
      report: deepReport(result),
    };
  }

  private async writeDiary(): Promise<void> {
    const promotions = this.promotedToday.slice(0, 5);
    const material = { ...this.diary, promotions };
    if (promotions.length === 0 && material.themes.length === 0) return;
    const text =
      (await this.narrator()?.diary(material, this.context.signal)) ?? plainDiaryText(material);
    this.tryWriting(() => writeDiary(this.changer.dir, this.context.day, text));
  }

  /** Nobody is paid for a look. */
  private narrator(): Narrator | undefined {
    return this.options.dryRun === true ? undefined : this.options.narrator;
  }

  private reportPlace() {
    const { settings } = this.options;
    return { dir: this.changer.dir, day: this.context.day, storage: settings.storage };
  }

  private note(phase: PhaseName, record: PhaseRecord): void {
    this.save({ ...this.record, phases: { ...this.record.phases, [phase]: record } });
    this.tell({ type: 'phase.ended', phase, record });
  }

  private save(record: SweepRecord): void {
    this.record = record;
    this.changer.sweeps.put(record);
  }

  private tryWriting(write: () => void): void {
    if (this.options.dryRun === true) return;
    try {
      write();
    } catch (error) {
      this.faults.push(messageOf(error));
    }
  }

  private tell(event: SweepEvent): void {
    this.options.onEvent?.(event);
  }
}

/** When the day's first sweep began. */
function firstOfDay({ sweeps }: MemoryChanger, day: string, nowMs: number): number {
  const earlier = sweeps.list(MOST_SWEEPS_A_DAY).filter((sweep) => sweep.day === day);
  return Math.min(nowMs, ...earlier.map(({ startedMs }) => startedMs));
}

function isWritten({ decision }: PromotionDecision): boolean {
  return decision === 'promote' || decision === 'renew';
}

function countDecisions(decisions: readonly PromotionDecision[]): Record<string, number> {
  const counts = { promote: 0, renew: 0, said: 0, skip: 0 };
  for (const { decision } of decisions) counts[decision] += 1;
  return counts;
}

interface PhaseOutcome {
  readonly counts: Readonly<Record<string, number>>;
  readonly report: string;
}
