import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Logger } from 'pino';
import { Minder } from '../child/minder.js';
import type { LoadedConfig } from '../config/index.js';
import { faultFields, messageOf } from '../errors/index.js';
import { type ClaimedTask, type Flows, openFlows, storeBackoffMs } from '../flows/index.js';
import { sleepAtMost } from '../support/async.js';
import type { EngineContext } from '../support/context.js';
import type { StartJob } from './job.js';
import {
  RUNNABLE,
  type RunnableRuntime,
  type RunnerSettings,
  runnerSettings,
} from './runner-settings.js';
import { startSubagent } from './start-subagent.js';
import { TaskAttempt } from './task-attempt.js';

/** How long programs can take to end, including an agent's last message. */
const LONGEST_STOP_MS = 9000;

interface OpenRunnerOptions {
  readonly context: EngineContext;
  readonly loaded: LoadedConfig;
  readonly log: Logger;
  /** Called with the number of running tasks when it changes. */
  readonly onChange?: ((running: number) => void) | undefined;
  /** Called when tasks cannot be claimed; with undefined when they can again. */
  readonly onProblem?: ((error: unknown) => void) | undefined;
}

interface RunnerOptions extends OpenRunnerOptions {
  readonly flows: Flows;
  readonly settings: RunnerSettings;
  /** For each configured runtime. */
  readonly start: Readonly<Record<RunnableRuntime, StartJob | undefined>>;
  readonly minder: Minder;
}

/**
 * Runs queued tasks, a limited number at a time. Several runners in any processes share the tasks. Use
 * {@link openRunner}.
 */
export class TaskRunner {
  private readonly options: RunnerOptions;
  private readonly attempts = new Set<TaskAttempt>();
  private readonly runs = new Set<Promise<void>>();
  private readonly ending = new AbortController();
  private claiming: Promise<void> = Promise.resolve();
  private wake: () => void = () => undefined;

  constructor(options: RunnerOptions) {
    this.options = options;
  }

  start(): void {
    this.claiming = this.claimTasks();
  }

  /**
   * Claims no more tasks and waits for running ones. Those not done in time are interrupted, and requeued or
   * ended as `flows.orphans` says.
   *
   * @param patienceMs how long to wait, including the time that programs have to end; forever when left out
   */
  async drain(patienceMs?: number): Promise<void> {
    await this.stopClaiming();
    const interrupt = (): void => {
      for (const attempt of this.attempts) attempt.interrupt();
    };
    const timer =
      patienceMs === undefined
        ? undefined
        : setTimeout(interrupt, Math.max(0, patienceMs - LONGEST_STOP_MS));
    await this.waitForRuns();
    clearTimeout(timer);
  }

  /** Ends all tasks at once, with the same rule, and closes the flows. */
  async close(): Promise<void> {
    await this.stopClaiming();
    for (const attempt of this.attempts) attempt.abandon();
    await this.waitForRuns();
    this.options.minder.close();
    await this.options.flows.close();
  }

  private async stopClaiming(): Promise<void> {
    this.ending.abort();
    this.wake();
    await this.claiming;
  }

  private async waitForRuns(): Promise<void> {
    while (this.runs.size > 0) await Promise.all(this.runs);
  }

  private async claimTasks(): Promise<void> {
    const { flows, settings, log, onProblem } = this.options;
    const { signal } = this.ending;
    const runtimes = RUNNABLE.filter((runtime) => settings[runtime] !== undefined);
    const worker = `${hostname()}:${process.pid}`;
    const request = { worker, runtimes };
    let failures = 0;
    while (!signal.aborted) {
      await this.waitForSlot();
      if (signal.aborted) return;
      try {
        if (failures > 0) {
          // Claims without waiting, to report at once whether that works.
          const claimed = await flows.tasks.claim(request);
          failures = 0;
          onProblem?.(undefined);
          if (claimed !== undefined) this.startAttempt(claimed);
          continue;
        }
        this.startAttempt(await flows.tasks.wait(request, signal));
      } catch (error) {
        if (signal.aborted) return;
        log.error(faultFields(error), `could not claim tasks: ${messageOf(error)}`);
        failures += 1;
        onProblem?.(error);
        await sleepAtMost(storeBackoffMs(failures), signal);
      }
    }
  }

  private async waitForSlot(): Promise<void> {
    while (this.attempts.size >= this.options.loaded.resolved.flows.concurrency) {
      if (this.ending.signal.aborted) return;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  private startAttempt(claimed: ClaimedTask): void {
    const { flows, settings, context, log, start, minder, onChange } = this.options;
    const { task } = claimed;
    const runtime = RUNNABLE.find((name) => name === task.runtime);
    const runtimeSettings = runtime && settings[runtime];
    const startJob = runtime && start[runtime];
    // Only these were claimed.
    if (runtimeSettings === undefined || startJob === undefined) return;
    const attempt = new TaskAttempt(claimed, {
      flows,
      clock: context.clock,
      log: log.child({ task: task.taskId, runtime }),
      settings: runtimeSettings,
      startJob,
      announce: minder.announce,
    });
    this.attempts.add(attempt);
    onChange?.(this.attempts.size);
    // Claimed while the runner was ending: it is released.
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

/**
 * Opens the flows of this state folder and starts to run their tasks.
 *
 * @throws SvcError as `openFlows` does
 */
export async function openRunner(options: OpenRunnerOptions): Promise<TaskRunner> {
  const { context, loaded, log } = options;
  const settings = runnerSettings(context, loaded);
  for (const { secrets } of Object.values(settings)) {
    for (const secret of secrets) context.onSecret?.(secret);
  }
  warnOfMissingFolders(settings, log);
  const start = {
    subagent: startSubagent,
    // The protocol's library is large, and few need it.
    acp: settings.acp && (await import('./start-acp.js')).startAcp,
  };
  const flows = await openFlows(context, loaded.resolved);
  const minder = new Minder(process.execPath);
  const runner = new TaskRunner({ ...options, flows, settings, start, minder });
  runner.start();
  return runner;
}

/** A host that only receives webhooks often has no workspace; its first task would fail. */
function warnOfMissingFolders(settings: RunnerSettings, log: Logger): void {
  for (const [runtime, { cwdOf }] of Object.entries(settings)) {
    const folder = cwdOf({ agentId: null });
    if (existsSync(folder)) continue;
    const hint = `create it, or set flows.runtimes.${runtime}.cwd`;
    log.warn({ runtime, folder }, `${runtime} tasks will fail: ${folder} does not exist; ${hint}`);
  }
}
