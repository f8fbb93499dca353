import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Logger } from 'pino';
import { Minder } from '../child/minder.js';
import type { LoadedConfig } from '../config/index.js';
import { failureLogger } from '../errors/index.js';
import { type ClaimedTask, openFlowsToServe, storeBackoffMs } from '../flows/index.js';
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
import { type TaskAttempt, taskAttempt } from './task-attempt.js';

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

/**
 * Runs queued tasks, a limited number at a time. Several runners in any processes share the tasks.
 */
export type TaskRunner = Awaited<ReturnType<typeof openRunner>>;

/**
 * Opens the flows of this state folder and starts to run their tasks.
 *
 * @throws SvcError as `openFlowsToServe` does
 */
export async function openRunner(options: OpenRunnerOptions) {
  const { context, loaded, log, onChange, onProblem } = options;
  const settings = runnerSettings(context, loaded);
  for (const { secrets } of Object.values(settings)) {
    for (const secret of secrets) context.onSecret?.(secret);
  }
  warnOfMissingFolders(settings, log);
  const start: Readonly<Record<RunnableRuntime, StartJob | undefined>> = {
    subagent: startSubagent,
    // The protocol's library is large, and few need it.
    acp: settings.acp && (await import('./start-acp.js')).startAcp,
  };
  const flows = await openFlowsToServe(context, loaded.resolved);
  const minder = new Minder(process.execPath);
  const attempts = new Set<TaskAttempt>();
  const runs = new Set<Promise<void>>();
  const ending = new AbortController();
  const { signal } = ending;
  let wake = (): void => undefined;
  const startAttempt = (claimed: ClaimedTask): void => {
    const { task } = claimed;
    const runtime = RUNNABLE.find((name) => name === task.runtime);
    const runtimeSettings = runtime && settings[runtime];
    const startJob = runtime && start[runtime];
    // Only these were claimed.
    if (runtimeSettings === undefined || startJob === undefined) return;
    const attempt = taskAttempt(claimed, {
      flows,
      clock: context.clock,
      log: log.child({ task: task.taskId, runtime }),
      settings: runtimeSettings,
      startJob,
      announce: minder.announce,
    });
    attempts.add(attempt);
    onChange?.(attempts.size);
    // Claimed while the runner was ending: it is released.
    if (signal.aborted) attempt.interrupt();
    const run = attempt.run().finally(() => {
      attempts.delete(attempt);
      runs.delete(run);
      onChange?.(attempts.size);
      wake();
    });
    runs.add(run);
  };
  const waitForSlot = async (): Promise<void> => {
    while (attempts.size >= loaded.resolved.flows.concurrency && !signal.aborted) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  const claimTasks = async (): Promise<void> => {
    const runtimes = RUNNABLE.filter((runtime) => settings[runtime] !== undefined);
    const request = { worker: `${hostname()}:${process.pid}`, runtimes };
    const logFailure = failureLogger(log, 'could not claim tasks');
    let failures = 0;
    while (!signal.aborted) {
      await waitForSlot();
      if (signal.aborted) return;
      try {
        if (failures > 0) {
          // Claims without waiting, to report at once whether that works.
          const claimed = await flows.tasks.claim(request);
          failures = 0;
          logFailure(undefined);
          onProblem?.(undefined);
          if (claimed !== undefined) startAttempt(claimed);
          continue;
        }
        startAttempt(await flows.tasks.wait(request, signal));
      } catch (error) {
        if (signal.aborted) return;
        logFailure(error);
        failures += 1;
        onProblem?.(error);
        await sleepAtMost(storeBackoffMs(failures), signal);
      }
    }
  };
  const claiming = claimTasks();
  const stopClaiming = async (): Promise<void> => {
    ending.abort();
    wake();
    await claiming;
  };
  const waitForRuns = async (): Promise<void> => {
    while (runs.size > 0) await Promise.all(runs);
  };
  return {
    /**
     * Claims no more tasks and waits for running ones. Those not done in time are interrupted, and requeued or
     * ended as `flows.orphans` says.
     *
     * @param patienceMs how long to wait, including the time that programs have to end; forever when left out
     */
    drain: async (patienceMs?: number): Promise<void> => {
      await stopClaiming();
      const interrupt = (): void => {
        for (const attempt of attempts) attempt.interrupt();
      };
      const timer =
        patienceMs === undefined
          ? undefined
          : setTimeout(interrupt, Math.max(0, patienceMs - LONGEST_STOP_MS));
      await waitForRuns();
      clearTimeout(timer);
    },
    /** Ends all tasks at once, with the same rule, and closes the flows. */
    close: async (): Promise<void> => {
      await stopClaiming();
      for (const attempt of attempts) attempt.abandon();
      await waitForRuns();
      minder.close();
      await flows.close();
    },
  };
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
