import type { Logger } from 'pino';
import type { Clock } from '../context.js';
import { SvcError } from '../errors/index.js';
import type { ClaimedTask, Flows, TaskLease } from '../flows/index.js';

/** How soon somebody's wish to cancel is noticed. */
const LOOK_MS = 200;
/** Progress is written down no more often than this. */
const PROGRESS_MS = 1000;
/** Reports within the time of a lease: two may get lost. */
const BEATS_PER_LEASE = 3;

/** What keeping a lease takes. */
export interface LeaseKeeperOptions {
  readonly flows: Flows;
  readonly clock: Clock;
  readonly log: Logger;
  readonly leaseMs: number;
  /** Called when the work should end; perhaps more than once. */
  readonly onStop: (cause: 'cancelled' | 'lease-lost') => void;
}

/**
 * Keeps the lease of a task while it is worked on: reports in time, writes progress down, and notices
 * when somebody wants it to be cancelled, or has taken it away. Made, started, ended.
 */
export class LeaseKeeper {
  readonly lease: TaskLease;
  private readonly options: LeaseKeeperOptions;
  private expiresAt: number;
  private seenVersion = '';
  private progress: string | undefined;
  private timers: readonly NodeJS.Timeout[] = [];
  private progressTimer: NodeJS.Timeout | undefined;

  constructor({ task, leaseToken, leaseExpiresAt }: ClaimedTask, options: LeaseKeeperOptions) {
    this.lease = { taskId: task.taskId, token: leaseToken };
    this.options = options;
    this.expiresAt = leaseExpiresAt;
  }

  start(): void {
    this.timers = [
      setInterval(() => this.look(), LOOK_MS),
      setInterval(() => void this.beat(), this.options.leaseMs / BEATS_PER_LEASE),
    ];
  }

  /** Writes down what is being done, in a while. */
  tell(progress: string): void {
    this.progress = progress;
    this.progressTimer ??= setTimeout(() => {
      this.progressTimer = undefined;
      void this.beat();
    }, PROGRESS_MS);
  }

  end(): void {
    for (const timer of this.timers) clearInterval(timer);
    clearTimeout(this.progressTimer);
  }

  /** Cheap while nothing was committed by anybody. */
  private look(): void {
    const { flows, clock, onStop } = this.options;
    if (clock.now() > this.expiresAt) onStop('lease-lost');
    try {
      const version = flows.version();
      if (version === this.seenVersion) return;
      this.seenVersion = version;
      const { task } = flows.operator.showTask(this.lease.taskId);
      if (task.status !== 'running') onStop('lease-lost');
      else if (task.cancelRequestedAt !== null) onStop('cancelled');
    } catch (error) {
      if (error instanceof SvcError && error.code === 'TASK_NOT_FOUND') onStop('lease-lost');
    }
  }

  private async beat(): Promise<void> {
    const { flows, leaseMs, log, onStop } = this.options;
    const { progress } = this;
    try {
      const answer = await flows.tasks.heartbeat(this.lease, { progress, leaseMs });
      if (!answer.ok) {
        onStop('lease-lost');
        return;
      }
      this.expiresAt = answer.leaseExpiresAt ?? this.expiresAt;
      if (answer.cancelRequested) onStop('cancelled');
    } catch (error) {
      // The next one may be written; without any the lease ends, and the work with it.
      log.warn({ err: error }, 'could not report on the task');
    }
  }
}
