import { statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Clock } from '../context.js';
import { messageOf } from '../errors/index.js';
import type { ClaimedTask, Flows } from '../flows/index.js';
import type { LeaseAnswer } from '../flows/tasks/lease.js';
import { createSecretMask, type SecretMask } from '../secrets/mask/secret-mask.js';
import type { JobEnd, JobHost, RunningJob, StartJob, TaskJob } from './job.js';
import { LeaseKeeper } from './lease-keeper.js';
import type { RuntimeSettings } from './runner-settings.js';
import { progressLine, summaryText } from './words.js';

/** After a report that could not be written. */
const REPORT_REST_MS = 1000;
/** Timers know no longer times. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Why an attempt is ended before it is done. */
type StopCause = 'cancelled' | 'interrupted' | 'lease-lost' | 'timed-out';

/** What an attempt is made of. */
export interface AttemptOptions {
  readonly flows: Flows;
  readonly clock: Clock;
  readonly log: Logger;
  readonly settings: RuntimeSettings;
  readonly leaseMs: number;
  /** What becomes of a task that is interrupted. */
  readonly orphans: 'lost' | 'requeue';
  readonly startJob: StartJob;
  readonly mind: JobHost['mind'];
}

/**
 * One attempt at a task, from its claim to the report of what came of it. Made, run once, perhaps
 * interrupted.
 */
export class TaskAttempt {
  private readonly claimed: ClaimedTask;
  private readonly options: AttemptOptions;
  private readonly keeper: LeaseKeeper;
  private readonly mask: SecretMask;
  private readonly over = new AbortController();
  private job: RunningJob | undefined;
  private cause: StopCause | undefined;

  constructor(claimed: ClaimedTask, options: AttemptOptions) {
    this.claimed = claimed;
    this.options = options;
    this.mask = createSecretMask([...options.settings.secrets, claimed.leaseToken]);
    this.keeper = new LeaseKeeper(claimed, { ...options, onStop: (cause) => this.stop(cause) });
  }

  /** Resolves when nothing of it runs any more, and that is written down. Never rejects. */
  async run(): Promise<void> {
    const { log, settings } = this.options;
    const { attempts } = this.claimed.task;
    this.keeper.start();
    const timeoutMs = Math.min(settings.timeoutMs, LONGEST_TIMER_MS);
    const timer = setTimeout(() => this.stop('timed-out'), timeoutMs);
    log.info({ attempt: attempts }, 'task begun');
    const end = await this.work();
    clearTimeout(timer);
    this.keeper.end();
    await this.report(end);
  }

  /** The runner has to leave it: it is asked to end. */
  interrupt(): void {
    this.stop('interrupted');
  }

  /** Ends it at once, whatever can still be written down. */
  abandon(): void {
    this.stop('interrupted');
    this.job?.kill();
    this.over.abort();
  }

  private stop(cause: StopCause): void {
    if (this.cause !== undefined) return;
    this.cause = cause;
    // Somebody else may be running it by now.
    if (cause === 'lease-lost') this.job?.kill();
    else this.job?.stop();
  }

  private async work(): Promise<JobEnd> {
    const { startJob, mind, log } = this.options;
    try {
      if (this.cause !== undefined) return { kind: 'failed', error: 'not begun', retry: true };
      this.job = startJob(this.taskJob(), {
        mind,
        progress: (text) => {
          const line = progressLine(this.mask.text(text));
          if (line !== '') this.keeper.tell(line);
        },
        note: (text) => log.info(this.mask.text(text)),
      });
      return await this.job.ended;
    } catch (error) {
      log.error({ err: error }, `the task could not be begun: ${messageOf(error)}`);
      return { kind: 'failed', error: messageOf(error), retry: true };
    }
  }

  private taskJob(): TaskJob {
    const { settings } = this.options;
    const { task, flow } = this.claimed;
    const { maxAttempts, permissions } = settings;
    const cwd = settings.cwdOf(task);
    // The system's own word for a folder that is not there is that the program is not.
    if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true) {
      throw new Error(`there is no folder ${cwd} to run it in`);
    }
    const env = {
      ...settings.env,
      SVC_TASK_ID: task.taskId,
      SVC_FLOW_ID: task.parentFlowId,
    };
    return { task, flow, command: settings.command(), env, cwd, maxAttempts, permissions };
  }

  /** Again and again until it is written: work that was done is not thrown away for a full disk. */
  private async report(end: JobEnd): Promise<void> {
    const { log } = this.options;
    const { signal } = this.over;
    while (this.cause !== 'lease-lost') {
      try {
        const answer = await this.reportOnce(end);
        if (!answer.ok) break;
        const { status, error } = answer.task;
        log.info({ status, error }, `task is ${status}`);
        return;
      } catch (error) {
        log.warn({ err: error }, 'could not report what came of the task');
        if (signal.aborted) return;
        await sleep(REPORT_REST_MS, undefined, { signal }).catch(() => undefined);
      }
    }
    log.warn('the task was taken from this runner, or cancelled meanwhile');
  }

  private reportOnce(end: JobEnd): Promise<LeaseAnswer> {
    const { flows, settings, orphans } = this.options;
    const { tasks } = flows;
    const { lease } = this.keeper;
    switch (this.cause) {
      case 'timed-out': {
        const error = `It took more than ${settings.timeoutMs / 1000} s.`;
        return tasks.fail(lease, { error, timedOut: true });
      }
      case 'interrupted':
        return orphans === 'requeue'
          ? tasks.release(lease)
          : tasks.fail(lease, { error: 'The runner was stopped.', retry: false });
      case 'cancelled':
        return tasks.fail(lease, { error: 'It was cancelled.' });
      default:
        return this.reportEnd(end);
    }
  }

  private reportEnd(end: JobEnd): Promise<LeaseAnswer> {
    const { tasks } = this.options.flows;
    const { lease } = this.keeper;
    if (end.kind === 'failed') {
      const error = summaryText(this.mask.text(end.error));
      return tasks.fail(lease, { error, retry: end.retry });
    }
    const { outcome, result, summary } = end;
    return tasks.complete(lease, {
      outcome,
      summary: summary === undefined ? undefined : summaryText(this.mask.text(summary)),
      result: result === undefined ? undefined : this.mask.data(result),
    });
  }
}
