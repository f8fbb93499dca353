import type { Flows, ScheduleOutcome } from '../flows/index.js';
import type { Schedule } from './configured-schedules.js';

/** What a runner needs, and what it reports. */
export interface ScheduleRunnerOptions {
  readonly flows: Pick<Flows, 'now' | 'schedules' | 'version'>;
  /** Called when the store has answered, also if nothing was due. */
  readonly onOutcome: (schedule: Schedule, outcome: ScheduleOutcome) => void;
  /** Called when the store failed; the run is tried again. */
  readonly onFault: (schedule: Schedule, error: unknown) => void;
}

/** How often due times are checked at least: a long timer stops while the machine sleeps. */
const LONGEST_REST_MS = 20_000;
/** After a run, or when the clock of the store is behind the timer. */
const SHORTEST_REST_MS = 50;

/**
 * Creates flows when schedules are due, until closed. What was due while the machine slept or no process ran
 * leads to one flow, as soon as possible.
 */
export class ScheduleRunner {
  private readonly schedules: readonly Schedule[];
  private readonly options: ScheduleRunnerOptions;
  /** Until when each was handled, as this process knows: others can only have handled more. */
  private readonly handled = new Map<string, number>();
  private timer: NodeJS.Timeout | undefined;
  private checking: Promise<void> = Promise.resolve();
  private isClosed = false;

  constructor(schedules: readonly Schedule[], options: ScheduleRunnerOptions) {
    this.schedules = schedules.filter(({ enabled }) => enabled);
    this.options = options;
  }

  /** Runs what is due now, and later whatever becomes due. */
  start(): void {
    void this.check().then(() => this.rest());
  }

  /** Runs what is due now; calls never overlap. Never rejects. */
  check(): Promise<void> {
    this.checking = this.checking.then(() => this.runDue());
    return this.checking;
  }

  /** The schedule that is due next, and when, in milliseconds since the epoch; undefined if none is. */
  next(): { readonly schedule: Schedule; readonly atMs: number } | undefined {
    const nowMs = this.options.flows.now();
    return this.schedules
      .flatMap((schedule) => schedule.nextDue(nowMs, 1).map((atMs) => ({ schedule, atMs })))
      .sort((a, b) => a.atMs - b.atMs)[0];
  }

  /** Starts no other run, and waits for the one in progress. */
  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.timer);
    await this.checking;
  }

  private rest(): void {
    if (this.isClosed) return;
    const untilDueMs = (this.next()?.atMs ?? Number.POSITIVE_INFINITY) - this.options.flows.now();
    const restMs = Math.max(SHORTEST_REST_MS, Math.min(LONGEST_REST_MS, untilDueMs));
    this.timer = setTimeout(() => this.start(), restMs);
  }

  private async runDue(): Promise<void> {
    // Corrects the time of the store after the machine slept. If this fails, so does what is due, and reports why.
    await this.options.flows.version().catch(() => undefined);
    for (const schedule of this.schedules) {
      if (this.isClosed) return;
      if (!this.canBeDue(schedule)) continue;
      try {
        const outcome = await this.options.flows.schedules.runDue(schedule);
        this.remember(schedule, outcome);
        this.options.onOutcome(schedule, outcome);
      } catch (error) {
        this.options.onFault(schedule, error);
      }
    }
  }

  /** Spares a transaction when nothing is due anyway. */
  private canBeDue({ id, nextDue }: Schedule): boolean {
    const handledMs = this.handled.get(id);
    const nowMs = this.options.flows.now();
    if (handledMs === undefined || handledMs > nowMs) return true;
    const [dueMs = Number.POSITIVE_INFINITY] = nextDue(handledMs, 1);
    return dueMs <= nowMs;
  }

  private remember({ id }: Schedule, outcome: ScheduleOutcome): void {
    if (outcome.type === 'invalid') this.handled.delete(id);
    else
      this.handled.set(id, outcome.type === 'waits' ? outcome.handledUntil : outcome.scheduledMs);
  }
}
