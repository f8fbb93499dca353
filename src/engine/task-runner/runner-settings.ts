import { childEnvironment, findProgram } from '../child/program.js';
import { type LoadedConfig, resolveAgent } from '../config/index.js';
import { SvcError } from '../errors/index.js';
import type { TaskRecord } from '../flow-model/task-record.js';
import { notificationTargets } from '../flows/index.js';
import type { EngineContext } from '../support/context.js';
import { resolveConfiguredPath } from '../support/paths.js';

/** The runtimes that svc can run. */
export const RUNNABLE = ['subagent', 'acp'] as const;
export type RunnableRuntime = (typeof RUNNABLE)[number];

/** How tasks of one runtime are run. */
export type RuntimeSettings = NonNullable<ReturnType<typeof runtimeSettings>>;
/** Which requests of an agent are granted. */
export type PermissionPolicy = RuntimeSettings['permissions'];

/** How tasks of each configured runtime are run. */
export type RunnerSettings = Partial<Record<RunnableRuntime, RuntimeSettings>>;

export function runnerSettings(context: EngineContext, loaded: LoadedConfig): RunnerSettings {
  const runner: RunnerSettings = {};
  for (const runtime of RUNNABLE) {
    const settings = runtimeSettings(loaded.resolved.flows.runtimes[runtime], context, loaded);
    if (settings !== undefined) runner[runtime] = settings;
  }
  return runner;
}

function runtimeSettings(
  configured: LoadedConfig['resolved']['flows']['runtimes'][RunnableRuntime],
  context: EngineContext,
  loaded: LoadedConfig,
) {
  const [word, ...args] = configured?.command ?? [];
  if (configured === undefined || word === undefined) return undefined;
  const { cwd, env = {}, timeoutSeconds, maxAttempts, permissions } = configured;
  const configuredCwd = cwd === undefined ? undefined : resolveConfiguredPath(loaded, cwd, context);
  return {
    /** Resolved with each task: it can be installed while svc runs. @throws SvcError */
    command: (): readonly [string, ...string[]] => [findProgram(word, context, loaded), ...args],
    env: childEnvironment(context.env, env),
    /** Everything the configuration adds to the environment is treated as secret. */
    secrets: Object.values(env),
    /**
     * Absolute path of a task's working directory; by default the workspace of its agent, or of the default agent.
     *
     * @throws SvcError AGENT_UNKNOWN, because its program would run in the folder of another agent
     */
    cwdOf: ({ agentId }: Pick<TaskRecord, 'agentId'>): string =>
      configuredCwd ?? resolveAgent(loaded, agentId ?? undefined, context).workspaceDir,
    timeoutMs: timeoutSeconds * 1000,
    maxAttempts,
    permissions,
  };
}

/** Every program configured in `flows`, looked up now: where, and its absolute path or why it was not found. */
export function configuredPrograms(context: EngineContext, loaded: LoadedConfig) {
  const { runtimes } = loaded.resolved.flows;
  const commands = [
    ...RUNNABLE.map((name) => ({
      path: ['flows', 'runtimes', name, 'command'],
      word: runtimes[name]?.command?.[0],
    })),
    ...notificationTargets(loaded.resolved).map(({ path, command }) => ({
      path: [...path, 'command'],
      word: command?.[0],
    })),
  ];
  return commands.flatMap(({ path, word }) =>
    word === undefined ? [] : [{ path, found: tryFind(word, context, loaded) }],
  );
}

/** The first one that was not found. */
export function missingProgram(context: EngineContext, loaded: LoadedConfig): SvcError | undefined {
  return configuredPrograms(context, loaded)
    .map(({ found }) => found)
    .find((found) => found instanceof SvcError);
}

function tryFind(word: string, context: EngineContext, loaded: LoadedConfig): string | SvcError {
  try {
    return findProgram(word, context, loaded);
  } catch (error) {
    if (error instanceof SvcError) return error;
    throw error;
  }
}
