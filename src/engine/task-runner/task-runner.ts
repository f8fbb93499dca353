import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Clock } from '../context.js';
import type { ClaimedTask, Flows } from '../flows/index.js';
import { waitForTask } from '../flows/tasks/wait-for-task.js';
import type { StartJob } from './job.js';
import { RUNNABLE, type RunnableRuntime, type RunnerSettings } from './runner-settings.js';
import { TaskAttempt } from './task-attempt.js';

/** What programs may take to end, an agent's last words included. */
const LONGEST_STOP_MS = 9000;
/** After a failure to look for tasks. */
const TROUBLE_REST_MS = 1000;

/** What a runner needs of the process around it. */
export interface RunnerOptions {
  /** Open for as long as the runner works; whoever made it closes it. */
  readonly flows: Flows;
  readonly settings: RunnerSettings;
  readonly clock: Clock;
  readonly log: Logger;
  /** What it is called, for people: `host:4711`. */
  readonly worker: string;
  /** A way to run jobs for each runtime that is configured. */
  readonly start: Readonly<Partial<Record<RunnableRuntime, StartJob>>>;
  readonly mind: (pid: number) => () => void;
  /** Told how many tasks run, whenever that changes. */
  readonly onChange?: ((running: number) => void) | undefined;
  /** Told why no tasks can be looked for; undefined when they can again. */
  readonly onTrouble?: ((error: unknown) => void) | undefined;
}

/**
 * Runs queued tasks, so many at a time. Made, started once, perhaps drained, stopped. Several runners,
 * in any processes, share the tasks between them: each is run by one.
 */
export class TaskRunner {
  private readonly options: RunnerOptions;
  private readonly attempts = new Set<TaskAttempt>();
  private readonly runs = new Set<Promise<void>>();
  private readonly ending = new AbortController();
  private looking: Promise<void> = Promise.resolve();
  private wake: () => void = () => undefined;

  constructor(options: RunnerOptions) {
    this.options = options;
  }

  /** Begins to look for tasks. */
  start(): void {
    this.looking = this.lookOn();
  }

  /**
   * Takes no new tasks and waits for those that run. What is not done in time is interrupted, and goes
   * back into the queue or ends as `flows.orphans` says.
   *
   * @param patienceMs how long that may take, including the time that programs have to end; as long as
   *   they need when left out
   */
  async drain(patienceMs?: number): Promise<void> {
    await this.refuseMore();
    const interrupt = (): void => {
      for (const attempt of this.attempts) attempt.interrupt();
    };
    const timer =
      patienceMs === undefined
        ? undefined
        : setTimeout(interrupt, Math.max(0, patienceMs - LONGEST_STOP_MS));
    await this.settled();
    clearTimeout(timer);
  }

  /** Ends all tasks at once, by the same rule. */
  async stop(): Promise<void> {
    await this.refuseMore();
    for (const attempt of this.attempts) attempt.abandon();
    await this.settled();
  }

  private async refuseMore(): Promise<void> {
    this.ending.abort();
    this.wake();
    await this.looking;
  }

  private async settled(): Promise<void> {
    while (this.runs.size > 0) await Promise.all(this.runs);
  }

  private async lookOn(): Promise<void> {
    const { flows, settings, clock, worker, log, onTrouble } = this.options;
    const { signal } = this.ending;
    const runtimes = RUNNABLE.filter((runtime) => settings.runtimes[runtime] !== undefined);
    const request = { worker, runtimes, leaseMs: settings.leaseMs };
    let isTroubled = false;
    while (!signal.aborted) {
      await this.freePlace();
      if (signal.aborted) return;
      try {
        if (isTroubled) {
          // Looks once without waiting: whether that works is to be told now.
          const claimed = await flows.tasks.claim(request);
          isTroubled = false;
          onTrouble?.(undefined);
          if (claimed !== undefined) this.begin(claimed);
          continue;
        }
        this.begin(await waitForTask(flows, request, { signal, clock }));
      } catch (error) {
        if (signal.aborted) return;
        log.error({ err: error }, 'could not look for tasks');
        isTroubled = true;
        onTrouble?.(error);
        await sleep(TROUBLE_REST_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  private async freePlace(): Promise<void> {
    while (this.attempts.size >= this.options.settings.concurrency) {
      if (this.ending.signal.aborted) return;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  private begin(claimed: ClaimedTask): void {
    const { flows, settings, clock, log, start, mind, onChange } = this.options;
    const { task } = claimed;
    const runtime = RUNNABLE.find((name) => name === task.runtime);
    if (runtime === undefined) return;
    const own = settings.runtimes[runtime];
    const startJob = start[runtime];
    // No other was asked for.
    if (own === undefined || startJob === undefined) return;
    const attempt = new TaskAttempt(claimed, {
      flows,
      clock,
      log: log.child({ task: task.taskId, runtime }),
      settings: own,
      leaseMs: settings.leaseMs,
      orphans: settings.orphans,
      startJob,
      mind,
    });
    this.attempts.add(attempt);
    onChange?.(this.attempts.size);
    // It came while the runner was already ending: it is given back.
    if (this.ending.signal.aborted) attempt.interrupt();
    const run = attempt.run().finally(() => {
      this.attempts.delete(attempt);
      this.runs.delete(run);
      onChange?.(this.attempts.size);
      this.wake();
    });
    this.runs.add(run);
  }
}
