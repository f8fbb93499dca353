import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import type { Logger } from 'pino';
import { faultFields, messageOf } from '../errors/index.js';
import type { ClaimedTask, Flows, LeaseAnswer, TaskLease } from '../flows/index.js';
import { createSecretMask, type SecretMask } from '../masking/index.js';
import { sleepAtMost } from '../support/async.js';
import type { Clock } from '../support/context.js';
import { jumpDetector, LONGEST_TIMER_MS, runningMs } from '../support/time.js';
import {
  type JobEnd,
  type JobHost,
  programNotes,
  progressLine,
  type RunningJob,
  type StartJob,
  summaryText,
  type TaskJob,
} from './job.js';
import type { RuntimeSettings } from './runner-settings.js';

/** After a report that could not be stored. */
const REPORT_RETRY_MS = 1000;

/** Why an attempt ends early. */
type StopCause = 'cancelled' | 'interrupted' | 'lease-lost' | 'timed-out';

interface AttemptOptions {
  readonly flows: Flows;
  readonly clock: Clock;
  readonly log: Logger;
  readonly settings: RuntimeSettings;
  readonly startJob: StartJob;
  readonly announce: JobHost['announce'];
}

/** One attempt at a task, from its claim to the report of its end. */
export class TaskAttempt {
  private readonly claimed: ClaimedTask;
  private readonly options: AttemptOptions;
  private readonly keeper: LeaseKeeper;
  private readonly mask: SecretMask;
  private readonly abandoned = new AbortController();
  private job: RunningJob | undefined;
  private cause: StopCause | undefined;

  constructor(claimed: ClaimedTask, options: AttemptOptions) {
    this.claimed = claimed;
    this.options = options;
    this.mask = createSecretMask([...options.settings.secrets, claimed.leaseToken]);
    this.keeper = new LeaseKeeper(claimed, { ...options, onStop: (cause) => this.stop(cause) });
  }

  /** Resolves when it has ended and that is stored. Never rejects. */
  async run(): Promise<void> {
    const { log, settings } = this.options;
    const { attempts } = this.claimed.task;
    this.keeper.start();
    const timeoutMs = Math.min(settings.timeoutMs, LONGEST_TIMER_MS);
    const timer = setTimeout(() => this.stop('timed-out'), timeoutMs);
    log.info({ attempt: attempts }, 'task started');
    const end = await this.work();
    clearTimeout(timer);
    this.keeper.end();
    await this.report(end);
  }

  /** Asks it to end because the runner ends. */
  interrupt(): void {
    this.stop('interrupted');
  }

  /** Ends it at once, even if its end cannot be stored. */
  abandon(): void {
    this.stop('interrupted');
    this.job?.kill();
    this.abandoned.abort();
  }

  private stop(cause: StopCause): void {
    if (this.cause !== undefined) return;
    // Work that is done is not done again because its program is slow to exit.
    const isDone = this.job?.isAnswered?.() === true && cause !== 'lease-lost';
    if (!isDone) this.cause = cause;
    // Another runner may be running it by now.
    if (cause === 'lease-lost') this.job?.kill();
    else this.job?.stop();
  }

  private async work(): Promise<JobEnd> {
    const { startJob, announce, log } = this.options;
    try {
      if (this.cause !== undefined) return { kind: 'failed', error: 'not started', retry: true };
      this.job = startJob(this.taskJob(), {
        announce,
        progress: (text) => {
          const line = progressLine(this.mask.text(text));
          if (line !== '') this.keeper.setProgress(line);
        },
        note: programNotes(log, this.mask),
        logDecision: (text) => log.info(progressLine(this.mask.text(text))),
      });
      return this.maskEnd(await this.job.ended);
    } catch (error) {
      const failure = this.job === undefined ? 'could not be started' : 'failed';
      log.error(faultFields(error), `the task ${failure}: ${messageOf(error)}`);
      return this.maskEnd({ kind: 'failed', error: messageOf(error), retry: true });
    }
  }

  private taskJob(): TaskJob {
    const { settings } = this.options;
    const { task, flow } = this.claimed;
    const { maxAttempts, permissions } = settings;
    const cwd = settings.cwdOf(task);
    // The system would report a missing program instead of a missing folder.
    if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true) {
      throw new Error(`working directory not found: ${cwd}`);
    }
    const env = { ...settings.env, SVC_TASK_ID: task.taskId, SVC_FLOW_ID: task.parentFlowId };
    // Not the task's id: another runner may have taken it and run another attempt.
    const attemptId = randomUUID();
    const command = settings.command();
    return { task, flow, command, env, attemptId, cwd, maxAttempts, permissions };
  }

  /** Retries until it is stored: a full disk must not discard finished work. */
  private async report(end: JobEnd): Promise<void> {
    const { log } = this.options;
    const { signal } = this.abandoned;
    let loggedCode: unknown = null;
    while (this.cause !== 'lease-lost') {
      try {
        const answer = await this.reportOnce(end);
        if (!answer.ok) break;
        const { status, error } = answer.task;
        log.info({ status, error }, `task ${status.replace('_', ' ')}`);
        return;
      } catch (error) {
        const fields = faultFields(error);
        // An outage of an hour would fill the log.
        if (fields['code'] !== loggedCode) {
          log.warn(fields, `could not report the end of the task, retrying: ${messageOf(error)}`);
        }
        loggedCode = fields['code'];
        if (signal.aborted) return;
        await sleepAtMost(REPORT_RETRY_MS, signal);
      }
    }
    log.warn('the task was taken from this runner or cancelled');
  }

  private reportOnce(end: JobEnd): Promise<LeaseAnswer> {
    const { flows, settings } = this.options;
    const { tasks, policy } = flows;
    const { lease } = this.keeper;
    switch (this.cause) {
      case 'timed-out': {
        const error = `It took more than ${settings.timeoutMs / 1000} s.`;
        return tasks.fail(lease, { error, timedOut: true });
      }
      case 'interrupted':
        // One that never started is nobody's orphan.
        return policy.orphans === 'requeue' || this.job === undefined
          ? tasks.release(lease)
          : tasks.fail(lease, { error: 'The runner was stopped.', retry: false });
      case 'cancelled':
        return tasks.fail(lease, { error: 'It was cancelled.' });
      default:
        return end.kind === 'failed' ? tasks.fail(lease, end) : tasks.complete(lease, end);
    }
  }

  private maskEnd(end: JobEnd): JobEnd {
    if (end.kind === 'failed') return { ...end, error: summaryText(this.mask.text(end.error)) };
    const { summary, result } = end;
    return {
      ...end,
      summary: summary === undefined ? undefined : summaryText(this.mask.text(summary)),
      result: result === undefined ? undefined : this.mask.data(result),
    };
  }
}

/** How soon a cancellation is noticed. */
const POLL_MS = 200;
/** How often progress is stored. */
const PROGRESS_MS = 1000;
/** Two reports can get lost. */
const BEATS_PER_LEASE = 3;

interface LeaseKeeperOptions extends Pick<AttemptOptions, 'clock' | 'flows' | 'log'> {
  /** Called when the work has to end; can be called again. */
  readonly onStop: (cause: 'cancelled' | 'lease-lost') => void;
}

/**
 * Keeps the lease of a running task: reports in time, stores progress, and notices when the task is cancelled
 * or taken away.
 */
class LeaseKeeper {
  readonly lease: TaskLease;
  private readonly leaseHash: string | null;
  private readonly options: LeaseKeeperOptions;
  /** By a clock that never jumps. */
  private endsAtMs: number;
  private readonly clockJumped;
  private seenVersion = '';
  private isChecking = false;
  private progress: string | undefined;
  private timers: readonly NodeJS.Timeout[] = [];
  private progressTimer: NodeJS.Timeout | undefined;

  constructor({ task, leaseToken, askedAtMs }: ClaimedTask, options: LeaseKeeperOptions) {
    this.lease = { taskId: task.taskId, token: leaseToken };
    this.leaseHash = task.leaseHash;
    this.options = options;
    this.endsAtMs = askedAtMs + options.flows.policy.leaseMs;
    this.clockJumped = jumpDetector(() => options.clock.now());
  }

  start(): void {
    this.stopIfOver();
    this.timers = [
      setInterval(() => void this.check(), POLL_MS),
      setInterval(() => void this.beat(), this.options.flows.policy.leaseMs / BEATS_PER_LEASE),
    ];
  }

  /** Stores progress, after a short while. */
  setProgress(progress: string): void {
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

  private stopIfOver(): void {
    if (runningMs() > this.endsAtMs) this.options.onStop('lease-lost');
  }

  /** Cheap while no process commits anything. */
  private async check(): Promise<void> {
    const { flows, onStop } = this.options;
    this.stopIfOver();
    // By the new time, the lease in the database may have expired.
    if (this.clockJumped() !== undefined) void this.beat();
    if (this.isChecking) return;
    this.isChecking = true;
    try {
      const version = await flows.version();
      if (version === this.seenVersion) return;
      const task = await flows.operator.findTask(this.lease.taskId);
      // It has ended, is queued again, or another runner holds it.
      if (task?.leaseHash !== this.leaseHash) onStop('lease-lost');
      else if (task.cancelRequestedAt !== null) onStop('cancelled');
      this.seenVersion = version;
    } catch {
      // The next one may succeed; without any the lease expires.
    } finally {
      this.isChecking = false;
    }
  }

  private async beat(): Promise<void> {
    const { flows, log, onStop } = this.options;
    const { progress } = this;
    const startedMs = runningMs();
    try {
      const answer = await flows.tasks.heartbeat(this.lease, { progress });
      if (!answer.ok) {
        onStop('lease-lost');
        return;
      }
      this.endsAtMs = startedMs + flows.policy.leaseMs;
      if (answer.task.cancelRequestedAt !== null) onStop('cancelled');
    } catch (error) {
      // The next one may succeed; without any the lease expires, and the work ends.
      log.warn(faultFields(error), `could not report on the task: ${messageOf(error)}`);
    }
  }
}
