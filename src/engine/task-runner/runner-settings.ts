import { childEnvironment } from '../child/child-environment.js';
import { findProgram, resolveFromConfig } from '../child/find-program.js';
import { type LoadedConfig, listAgents, resolveAgent } from '../config/index.js';
import type { EngineContext } from '../context.js';
import type { TaskRecord } from '../flows/index.js';

/** The runtimes that a program can be configured for. */
export const RUNNABLE = ['subagent', 'acp'] as const;
/** One of {@link RUNNABLE}. */
export type RunnableRuntime = (typeof RUNNABLE)[number];
/** Which requests of an agent are granted. */
export type PermissionPolicy = 'allow' | 'deny' | 'read';

/** How tasks of one runtime are run. */
export interface RuntimeSettings {
  /** Looked for anew with each task: it may be installed while svc runs. @throws SvcError */
  readonly command: () => readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  /** What the configuration adds to the environment: secrets, all of it. */
  readonly secrets: readonly string[];
  /** Absolute path of the folder that a task is run in. */
  readonly cwdOf: (task: TaskRecord) => string;
  readonly timeoutMs: number;
  readonly maxAttempts: number;
  readonly permissions: PermissionPolicy;
}

/** How tasks are run. */
export interface RunnerSettings {
  /** How many at the same time. */
  readonly concurrency: number;
  readonly leaseMs: number;
  /** What becomes of a task that the runner has to leave before it is done. */
  readonly orphans: 'lost' | 'requeue';
  readonly runtimes: Readonly<Partial<Record<RunnableRuntime, RuntimeSettings>>>;
}

/** Reads them from the configuration. */
export function runnerSettings(context: EngineContext, loaded: LoadedConfig): RunnerSettings {
  const { concurrency, leaseSeconds, orphans, runtimes } = loaded.resolved.flows;
  const configured = RUNNABLE.flatMap((runtime) => {
    const settings = runtimeSettings(runtime, context, loaded);
    return runtimes[runtime] === undefined || settings === undefined
      ? []
      : [[runtime, settings] as const];
  });
  return {
    concurrency,
    leaseMs: leaseSeconds * 1000,
    orphans,
    runtimes: Object.fromEntries(configured),
  };
}

function runtimeSettings(
  runtime: RunnableRuntime,
  context: EngineContext,
  loaded: LoadedConfig,
): RuntimeSettings | undefined {
  const configured = loaded.resolved.flows.runtimes[runtime];
  const [word, ...args] = configured?.command ?? [];
  if (configured === undefined || word === undefined) return undefined;
  const { cwd, env = {}, timeoutSeconds, maxAttempts, permissions } = configured;
  const place = cwd === undefined ? undefined : resolveFromConfig(cwd, context, loaded);
  return {
    command: () => [findProgram(word, context, loaded), ...args],
    env: childEnvironment(context.env, env),
    secrets: Object.values(env),
    cwdOf: ({ agentId }) => place ?? workspaceOf(agentId, context, loaded),
    timeoutMs: timeoutSeconds * 1000,
    maxAttempts,
    permissions,
  };
}

/** The workspace of the agent that a task is for; of the default agent where it names none of ours. */
function workspaceOf(agentId: string | null, context: EngineContext, loaded: LoadedConfig): string {
  const known = listAgents(loaded.resolved).find((id) => id === agentId);
  return resolveAgent(loaded, known, context).workspaceDir;
}
