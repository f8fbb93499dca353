import { hostname } from 'node:os';
import type { Logger } from 'pino';
import { Minder } from '../child/minder.js';
import type { LoadedConfig } from '../config/index.js';
import type { EngineContext } from '../context.js';
import { openFlows } from '../flows/index.js';
import { runnerSettings } from './runner-settings.js';
import { startSubagent } from './subagent/start-subagent.js';
import { type RunnerOptions as Options, TaskRunner } from './task-runner.js';

/** What a runner is opened with. */
export interface OpenRunnerOptions extends Pick<Options, 'onChange' | 'onTrouble'> {
  readonly context: EngineContext;
  readonly loaded: LoadedConfig;
  readonly log: Logger;
  readonly pid: number;
  /** The running Node.js, as `process.execPath`. */
  readonly nodePath: string;
}

/** A runner that looks for tasks, with all it works with. */
export interface OpenRunner {
  /** See TaskRunner. */
  drain(patienceMs?: number): Promise<void>;
  /** Ends everything, also after draining. */
  close(): Promise<void>;
}

/**
 * Opens the flows of this state folder and begins to run their tasks.
 *
 * @throws SvcError as `openFlows` does
 */
export async function openRunner(options: OpenRunnerOptions): Promise<OpenRunner> {
  const { context, loaded, log, pid, nodePath, onChange, onTrouble } = options;
  const settings = runnerSettings(context, loaded);
  for (const { secrets } of Object.values(settings.runtimes)) {
    for (const secret of secrets) context.onSecret?.(secret);
  }
  const { acp, subagent } = settings.runtimes;
  const start = {
    ...(subagent === undefined ? {} : { subagent: startSubagent }),
    // The protocol's library is large, and few need it.
    ...(acp === undefined ? {} : { acp: (await import('./acp/start-acp.js')).startAcp }),
  };
  const flows = openFlows(context, loaded.resolved);
  const minder = new Minder(nodePath);
  const runner = new TaskRunner({
    flows,
    settings,
    clock: context.clock,
    log,
    worker: `${hostname()}:${pid}`,
    start,
    mind: minder.mind,
    onChange,
    onTrouble,
  });
  runner.start();
  return {
    drain: (patienceMs) => runner.drain(patienceMs),
    close: async () => {
      await runner.stop();
      minder.close();
      await flows.close();
    },
  };
}
