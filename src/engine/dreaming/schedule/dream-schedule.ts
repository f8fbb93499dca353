import { isStorageFailure } from '../../errors/index.js';
import type { Connection } from '../../sqlite/database.js';
import { queryValue, runSql } from '../../sqlite/query.js';
import { closing } from '../../support/async.js';
import type { Clock } from '../../support/context.js';
import { nextRuns } from '../../support/cron-times.js';
import { isFarAhead } from '../../support/time.js';
import type { DreamTarget } from '../dream-targets.js';
import type { Narrator } from '../narrator.js';
import { openDreamDatabase } from '../store/dream-database.js';
import { hasFailed, sweepRecords } from '../store/sweep-records.js';
import { runSweep, type SweepSummary } from '../sweep/run-sweep.js';

/** What a schedule needs, and what it reports. */
export interface ScheduleOptions {
  readonly clock: Clock;
  /** Called for each sweep, so that a changed API key takes effect. */
  readonly openNarrator: (signal: AbortSignal) => Promise<Narrator | undefined>;
  readonly onSwept: (target: DreamTarget, summary: SweepSummary) => void;
  /** Called after each check for due sweeps: {@link DreamSchedule.next} can differ, as after the clock was set. */
  readonly onChecked?: (() => void) | undefined;
  /** Called when nothing is due and nothing is wrong, such as after a failure. */
  readonly onIdle?: ((target: DreamTarget) => void) | undefined;
  /** @param isRetried whether the next check tries again, instead of the next time of the schedule */
  readonly onFault: (target: DreamTarget, error: unknown, isRetried: boolean) => void;
}

/** How often due times are checked, in milliseconds: a long timer stops while the machine sleeps. */
const CHECK_MS = 20_000;

/**
 * Runs sweeps when they are due, until closed. Sweeps missed while the machine slept, the process was down or a
 * shared server failed run once, as soon as possible.
 */
export class DreamSchedule {
  private readonly targets: readonly DreamTarget[];
  private readonly options: ScheduleOptions;
  private readonly closing = new AbortController();
  private readonly lastChecks = new Map<DreamTarget, ReturnType<typeof dueFrom>>();
  /** Those whose last sweep failed, with the id of the last one that is recorded. */
  private readonly failed = new Map<DreamTarget, string | undefined>();
  private timer: NodeJS.Timeout | undefined;
  private checking: Promise<void> = Promise.resolve();
  private closed = false;

  constructor(targets: readonly DreamTarget[], options: ScheduleOptions) {
    this.targets = targets;
    this.options = options;
  }

  /** Checks for due sweeps now and then periodically. */
  start(): void {
    void this.check();
    this.timer = setInterval(() => void this.check(), CHECK_MS);
  }

  /** Runs what is due now; calls never overlap. */
  check(): Promise<void> {
    this.checking = this.checking.then(() => this.runDue());
    return this.checking;
  }

  /** When the next sweep is due, and the time zone of its schedule; undefined if none is. */
  next(): { readonly atMs: number; readonly timeZone: string | undefined } | undefined {
    const nowMs = this.options.clock.now();
    return this.targets
      .flatMap(({ settings, timeZone }) =>
        nextRuns(settings.frequency, timeZone, nowMs, 1).map((atMs) => ({ atMs, timeZone })),
      )
      .toSorted((a, b) => a.atMs - b.atMs)[0];
  }

  /** Stops starting sweeps and waits for the running one; `hurry` interrupts it. */
  async close({ hurry }: { readonly hurry: boolean }): Promise<void> {
    this.closed = true;
    clearInterval(this.timer);
    if (hurry) this.closing.abort(new Error('the schedule was closed'));
    await this.checking;
  }

  private async runDue(): Promise<void> {
    for (const target of this.targets) {
      if (this.closed) return;
      try {
        await this.runIfDue(target);
      } catch (error) {
        if (!this.closing.signal.aborted) this.options.onFault(target, error, true);
      }
    }
    this.options.onChecked?.();
  }

  private async runIfDue(target: DreamTarget): Promise<void> {
    const last = this.lastChecks.get(target);
    const nowMs = this.options.clock.now();
    if (last !== undefined && nowMs < last.dueMs && !isFarAhead(last.handledUntilMs, nowMs)) {
      if (this.failed.has(target)) this.noticeRecovery(target);
      return;
    }
    using database = closing(openDreamDatabase(target.workspace.files.database));
    // Another process may have run a sweep since, or recreated the database.
    let handledUntilMs = readHandledUntil(database) ?? last?.handledUntilMs;
    // Nothing was missed before the schedule first ran.
    if (handledUntilMs === undefined || isFarAhead(handledUntilMs, nowMs)) {
      writeHandledUntil(database, nowMs);
      handledUntilMs = nowMs;
    }
    const due = dueFrom(target, handledUntilMs);
    if (due.dueMs > nowMs) {
      this.lastChecks.set(target, due);
      this.options.onIdle?.(target);
      return;
    }
    const setHandled = (): void => {
      if (this.closing.signal.aborted) return;
      const endMs = this.options.clock.now();
      writeHandledUntil(database, endMs);
      this.lastChecks.set(target, dueFrom(target, endMs));
    };
    try {
      await this.sweep(target);
    } catch (error) {
      if (isStorageFailure(error) || this.closing.signal.aborted) throw error;
      // Any other failed sweep waits for its next time; otherwise it would fail every few seconds.
      setHandled();
      this.failed.set(target, sweepRecords(database).last()?.id);
      this.options.onFault(target, error, false);
      return;
    }
    setHandled();
  }

  private async sweep(target: DreamTarget): Promise<void> {
    const { clock, onSwept, openNarrator } = this.options;
    const { signal } = this.closing;
    const narrator = await openNarrator(signal);
    const summary = await runSweep({ ...target, clock, narrator, signal, trigger: 'schedule' });
    if (hasFailed(summary.sweep)) this.failed.set(target, summary.sweep.id);
    else this.failed.delete(target);
    onSwept(target, summary);
  }

  /** Whoever fixed what was wrong may have run a sweep. */
  private noticeRecovery(target: DreamTarget): void {
    using database = closing(openDreamDatabase(target.workspace.files.database));
    const last = sweepRecords(database).last();
    const isNew =
      last !== undefined && last.endedMs !== null && last.id !== this.failed.get(target);
    if (!isNew || hasFailed(last)) return;
    this.failed.delete(target);
    this.options.onIdle?.(target);
  }
}

/** When a workspace is next due, unless another process sweeps it first. */
function dueFrom({ settings, timeZone }: DreamTarget, handledUntilMs: number) {
  const [dueMs = Number.POSITIVE_INFINITY] = nextRuns(
    settings.frequency,
    timeZone,
    handledUntilMs,
    1,
  );
  return { handledUntilMs, dueMs };
}

/** Sweeps due until then have run, in milliseconds since the epoch; undefined at first. */
function readHandledUntil(database: Connection): number | undefined {
  return queryValue(database, 'SELECT kept_until_ms FROM schedule');
}

function writeHandledUntil(database: Connection, nowMs: number): void {
  runSql(database, 'INSERT OR REPLACE INTO schedule (id, kept_until_ms) VALUES (1, ?)', nowMs);
}
