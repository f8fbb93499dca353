import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Logger } from 'pino';
import { Minder } from '../child/minder.js';
import type { LoadedConfig } from '../config/index.js';
import { openFlows } from '../flows/index.js';
import type { EngineContext } from '../support/context.js';
import { type RunnerSettings, runnerSettings } from './runner-settings.js';
import { startSubagent } from './start-subagent.js';
import { type RunnerOptions as Options, TaskRunner } from './task-runner.js';

interface OpenRunnerOptions extends Pick<Options, 'onChange' | 'onTrouble'> {
  readonly context: EngineContext;
  readonly loaded: LoadedConfig;
  readonly log: Logger;
  readonly pid: number;
  /** The running Node.js, as `process.execPath`. */
  readonly nodePath: string;
}

/** A running task runner and its flows; see {@link openRunner}. */
export type OpenRunner = Awaited<ReturnType<typeof openRunner>>;

/**
 * Opens the flows of this state folder and starts to run their tasks.
 *
 * @throws SvcError as `openFlows` does
 */
export async function openRunner(options: OpenRunnerOptions) {
  const { context, loaded, log, pid, nodePath, onChange, onTrouble } = options;
  const settings = runnerSettings(context, loaded);
  for (const { secrets } of Object.values(settings.runtimes)) {
    for (const secret of secrets) context.onSecret?.(secret);
  }
  warnOfMissingFolders(settings, log);
  const { acp, subagent } = settings.runtimes;
  const start = {
    subagent: subagent && startSubagent,
    // The protocol's library is large, and few need it.
    acp: acp && (await import('./start-acp.js')).startAcp,
  };
  const flows = await openFlows(context, loaded.resolved);
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
    /** See TaskRunner. */
    drain: (patienceMs?: number): Promise<void> => runner.drain(patienceMs),
    /** Ends everything, also after draining. */
    close: async (): Promise<void> => {
      await runner.stop();
      minder.close();
      await flows.close();
    },
  };
}

/** A host that only receives webhooks often has no workspace; its first task would fail. */
function warnOfMissingFolders({ runtimes }: RunnerSettings, log: Logger): void {
  for (const [runtime, { cwdOf }] of Object.entries(runtimes)) {
    const folder = cwdOf({ agentId: null });
    if (existsSync(folder)) continue;
    const hint = `create it, or set flows.runtimes.${runtime}.cwd`;
    log.warn({ runtime, folder }, `${runtime} tasks will fail: ${folder} does not exist; ${hint}`);
  }
}
