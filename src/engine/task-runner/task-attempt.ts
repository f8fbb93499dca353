import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { failureLogger, faultFields, messageOf } from '../errors/index.js';
import { FAILED_TASK_STATUSES } from '../flow-model/task-record.js';
import type { ClaimedTask, Flows, LeaseAnswer, TaskLease } from '../flows/index.js';
import { createSecretMask } from '../masking/index.js';
import { sleepAtMost } from '../support/async.js';
import type { Clock } from '../support/context.js';
import { isFolder } from '../support/files.js';
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

export type TaskAttempt = ReturnType<typeof taskAttempt>;

/** One attempt at a task, from its claim to the report of its end. */
export function taskAttempt(claimed: ClaimedTask, options: AttemptOptions) {
  const { flows, log, settings, startJob, announce } = options;
  const { task, flow } = claimed;
  const mask = createSecretMask([...settings.secrets, claimed.leaseToken]);
  const abandoned = new AbortController();
  let job: RunningJob | undefined;
  let cause: StopCause | undefined;
  const stop = (why: StopCause): void => {
    if (cause !== undefined) return;
    // Work that is done is not done again because its program is slow to exit.
    const isDone = job?.isAnswered?.() === true && why !== 'lease-lost';
    if (!isDone) cause = why;
    // Another runner may be running it by now.
    if (why === 'lease-lost') job?.kill();
    else job?.stop();
  };
  const keeper = leaseKeeper(claimed, { ...options, onStop: stop });
  const taskJob = (): TaskJob => {
    const { maxAttempts, permissions } = settings;
    const cwd = settings.cwdOf(task);
    // The system would report a missing program instead of a missing folder.
    if (!isFolder(cwd)) {
      throw new Error(`working directory not found: ${cwd}`);
    }
    const env = { ...settings.env, SVC_TASK_ID: task.taskId, SVC_FLOW_ID: task.parentFlowId };
    // Not the task's id: another runner may have taken it and run another attempt.
    const attemptId = randomUUID();
    const command = settings.command();
    return { task, flow, command, env, attemptId, cwd, maxAttempts, permissions };
  };
  const maskEnd = (end: JobEnd): JobEnd => {
    if (end.kind === 'failed') return { ...end, error: summaryText(mask.text(end.error)) };
    const { summary, result } = end;
    return {
      ...end,
      summary: summary === undefined ? undefined : summaryText(mask.text(summary)),
      result: result === undefined ? undefined : mask.data(result),
    };
  };
  const work = async (): Promise<JobEnd> => {
    try {
      if (cause !== undefined) return { kind: 'failed', error: 'not started', retry: true };
      job = startJob(taskJob(), {
        announce,
        progress: (text) => {
          const line = progressLine(mask.text(text));
          if (line !== '') keeper.setProgress(line);
        },
        note: programNotes(log, mask),
        logDecision: (text) => log.info(progressLine(mask.text(text))),
      });
      return maskEnd(await job.ended);
    } catch (error) {
      const failure = job === undefined ? 'could not be started' : 'failed';
      log.error(faultFields(error), `the task ${failure}: ${messageOf(error)}`);
      return maskEnd({ kind: 'failed', error: messageOf(error), retry: true });
    }
  };
  const reportOnce = (end: JobEnd): Promise<LeaseAnswer> => {
    const { tasks, policy } = flows;
    const { lease } = keeper;
    switch (cause) {
      case 'timed-out': {
        const error = `It took more than ${settings.timeoutMs / 1000} s.`;
        return tasks.fail(lease, { error, timedOut: true });
      }
      case 'interrupted':
        // One that never started is nobody's orphan.
        return policy.orphans === 'requeue' || job === undefined
          ? tasks.release(lease)
          : tasks.fail(lease, { error: 'The runner was stopped.', retry: false });
      case 'cancelled':
        return tasks.fail(lease, { error: 'It was cancelled.' });
      default:
        return end.kind === 'failed' ? tasks.fail(lease, end) : tasks.complete(lease, end);
    }
  };
  /** Retries until it is stored: a full disk must not discard finished work. */
  const report = async (end: JobEnd): Promise<void> => {
    const { signal } = abandoned;
    const logFailure = failureLogger(log, 'could not report the end of the task, retrying', 'warn');
    while (cause !== 'lease-lost') {
      try {
        const answer = await reportOnce(end);
        if (!answer.ok) break;
        const { status, error } = answer.task;
        const hasFailed = FAILED_TASK_STATUSES.some((failed) => failed === status);
        log[hasFailed ? 'warn' : 'info']({ status, error }, `task ${status.replace('_', ' ')}`);
        return;
      } catch (error) {
        logFailure(error);
        if (signal.aborted) return;
        await sleepAtMost(REPORT_RETRY_MS, signal);
      }
    }
    // Its end may have been stored by a report whose answer was lost.
    log.warn('the task has already ended, or was taken from this runner');
  };
  return {
    /** Resolves when it has ended and that is stored. Never rejects. */
    run: async (): Promise<void> => {
      keeper.start();
      const timer = setTimeout(
        () => stop('timed-out'),
        Math.min(settings.timeoutMs, LONGEST_TIMER_MS),
      );
      log.info({ attempt: task.attempts }, 'task started');
      const end = await work();
      clearTimeout(timer);
      keeper.end();
      await report(end);
    },
    /** Asks it to end because the runner ends. */
    interrupt: (): void => stop('interrupted'),
    /** Ends it at once, even if its end cannot be stored. */
    abandon: (): void => {
      stop('interrupted');
      job?.kill();
      abandoned.abort();
    },
  };
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
function leaseKeeper(
  { task: { taskId, leaseHash }, leaseToken, askedAtMs }: ClaimedTask,
  { clock, flows, log, onStop }: LeaseKeeperOptions,
) {
  const lease: TaskLease = { taskId, token: leaseToken };
  const { leaseMs } = flows.policy;
  const clockJumped = jumpDetector(() => clock.now());
  /** By a clock that never jumps. */
  let endsAtMs = askedAtMs + leaseMs;
  let seenVersion = '';
  let isChecking = false;
  let progress: string | undefined;
  let timers: readonly NodeJS.Timeout[] = [];
  let progressTimer: NodeJS.Timeout | undefined;
  const stopIfOver = (): void => {
    if (runningMs() > endsAtMs) onStop('lease-lost');
  };
  const beat = async (): Promise<void> => {
    const startedMs = runningMs();
    try {
      const answer = await flows.tasks.heartbeat(lease, { progress });
      if (!answer.ok) {
        onStop('lease-lost');
        return;
      }
      endsAtMs = startedMs + leaseMs;
      if (answer.task.cancelRequestedAt !== null) onStop('cancelled');
    } catch (error) {
      // The next one may succeed; without any the lease expires, and the work ends.
      log.warn(faultFields(error), `could not report on the task: ${messageOf(error)}`);
    }
  };
  /** Cheap while no process commits anything. */
  const check = async (): Promise<void> => {
    stopIfOver();
    // By the new time, the lease in the database may have expired.
    if (clockJumped() !== undefined) void beat();
    if (isChecking) return;
    isChecking = true;
    try {
      const version = await flows.version();
      if (version === seenVersion) return;
      const task = await flows.operator.findTask(taskId);
      // It has ended, is queued again, or another runner holds it.
      if (task?.leaseHash !== leaseHash) onStop('lease-lost');
      else if (task.cancelRequestedAt !== null) onStop('cancelled');
      seenVersion = version;
    } catch {
      // The next one may succeed; without any the lease expires.
    } finally {
      isChecking = false;
    }
  };
  return {
    lease,
    start: (): void => {
      stopIfOver();
      timers = [
        setInterval(() => void check(), POLL_MS),
        setInterval(() => void beat(), leaseMs / BEATS_PER_LEASE),
      ];
    },
    /** Stores progress, after a short while. */
    setProgress: (text: string): void => {
      progress = text;
      progressTimer ??= setTimeout(() => {
        progressTimer = undefined;
        void beat();
      }, PROGRESS_MS);
    },
    end: (): void => {
      for (const timer of timers) clearInterval(timer);
      clearTimeout(progressTimer);
    },
  };
}
