import type { Clock } from '../../context.js';
import type { DreamTarget } from '../dream-targets.js';
import type { Narrator } from '../model/narrator.js';
import { openDreamDatabase } from '../store/dream-database.js';
import { runSweep } from '../sweep/run-sweep.js';
import type { SweepSummary } from '../sweep/sweep-events.js';
import { keepUntil, keptUntil } from './kept-schedule.js';
import { nextRuns } from './next-runs.js';

/** What keeping a schedule is told, and tells. */
export interface ScheduleOptions {
  readonly clock: Clock;
  /** Who words a sweep; opened for each, so that a key may change meanwhile. */
  readonly openNarrator: (signal: AbortSignal) => Promise<Narrator | undefined>;
  readonly onSwept: (target: DreamTarget, summary: SweepSummary) => void;
  readonly onFault: (target: DreamTarget, error: unknown) => void;
}

/** The clock is looked at this often, in milliseconds: a timer for hours stands still while a machine sleeps. */
const LOOK_MS = 20_000;

/** What a look at a workspace learned; times in milliseconds since the epoch. */
interface Look {
  readonly keptUntilMs: number;
  /** Nothing can be due before, whatever other processes do: they only keep the schedule further. */
  readonly dueMs: number;
}

/**
 * Runs the sweeps of workspaces when they are due, until closed. What was due while nothing ran (the machine
 * slept, the process was down) runs once, as soon as it is seen.
 */
export class DreamSchedule {
  private readonly targets: readonly DreamTarget[];
  private readonly options: ScheduleOptions;
  private readonly closing = new AbortController();
  private readonly looks = new Map<DreamTarget, Look>();
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> = Promise.resolve();
  private closed = false;

  constructor(targets: readonly DreamTarget[], options: ScheduleOptions) {
    this.targets = targets;
    this.options = options;
  }

  /** Looks at once, and then again and again. */
  start(): void {
    void this.look();
    this.timer = setInterval(() => void this.look(), LOOK_MS);
  }

  /** Runs what is due now; looks never overlap. */
  look(): Promise<void> {
    this.looking = this.looking.then(() => this.runDue());
    return this.looking;
  }

  /** When the next sweep is due, in milliseconds since the epoch; undefined when none ever is. */
  nextMs(): number | undefined {
    const nowMs = this.options.clock.now();
    const times = this.targets.flatMap(({ settings, timeZone }) =>
      nextRuns(settings.frequency, timeZone, nowMs, 1),
    );
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** Begins no sweep any more, and waits for the one under way; `hurry` stops that one where it can. */
  async close({ hurry }: { readonly hurry: boolean }): Promise<void> {
    this.closed = true;
    clearInterval(this.timer);
    if (hurry) this.closing.abort(new Error('the schedule was closed'));
    await this.looking;
  }

  private async runDue(): Promise<void> {
    for (const target of this.targets) {
      if (this.closed) return;
      try {
        await this.runIfDue(target);
      } catch (error) {
        if (!this.closing.signal.aborted) this.options.onFault(target, error);
      }
    }
  }

  private async runIfDue(target: DreamTarget): Promise<void> {
    const last = this.looks.get(target);
    const nowMs = this.options.clock.now();
    if (last !== undefined && nowMs < last.dueMs) return;
    const database = openDreamDatabase(target.workspace.files.database);
    try {
      // Another process may have kept the schedule since, or begun anew with an empty file.
      let kept = keptUntil(database) ?? last?.keptUntilMs;
      // What was due before anybody kept this schedule was not missed.
      if (kept === undefined) {
        keepUntil(database, nowMs);
        kept = nowMs;
      }
      const look = lookFrom(target, kept);
      if (look.dueMs > nowMs) {
        this.looks.set(target, look);
        return;
      }
      try {
        await this.sweep(target);
      } finally {
        // A sweep that fails is not tried again before its next time: it would fail every few seconds.
        if (!this.closing.signal.aborted) {
          const endMs = this.options.clock.now();
          keepUntil(database, endMs);
          this.looks.set(target, lookFrom(target, endMs));
        }
      }
    } finally {
      database.close();
    }
  }

  private async sweep(target: DreamTarget): Promise<void> {
    const { clock, onSwept, openNarrator } = this.options;
    const { settings, reach, timeZone, workspace } = target;
    const { signal } = this.closing;
    const narrator = await openNarrator(signal);
    const options = {
      settings,
      reach,
      timeZone,
      clock,
      narrator,
      trigger: 'schedule',
      signal,
    } as const;
    onSwept(target, await runSweep(workspace, options));
  }
}

function lookFrom({ settings, timeZone }: DreamTarget, keptUntilMs: number): Look {
  const [dueMs = Number.POSITIVE_INFINITY] = nextRuns(settings.frequency, timeZone, keptUntilMs, 1);
  return { keptUntilMs, dueMs };
}
