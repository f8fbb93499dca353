import { childEnvironment, findProgram } from '../child/program.js';
import { type ConfigPath, type LoadedConfig, resolveAgent } from '../config/index.js';
import { SvcError } from '../errors/index.js';
import type { TaskRecord } from '../flow-model/task-record.js';
import { notificationTargets } from '../flows/index.js';
import type { EngineContext } from '../support/context.js';
import { resolveConfiguredPath } from '../support/files.js';

/** The runtimes that svc can run. */
export const RUNNABLE = ['subagent', 'acp'] as const;
export type RunnableRuntime = (typeof RUNNABLE)[number];
/** Which requests of an agent are granted. */
export type PermissionPolicy = 'allow' | 'deny' | 'read';

/** How tasks of one runtime are run. */
export interface RuntimeSettings {
  /** Resolved with each task: it can be installed while svc runs. @throws SvcError */
  readonly command: () => readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  /** Everything the configuration adds to the environment is treated as secret. */
  readonly secrets: readonly string[];
  /** Absolute path of a task's working directory. */
  readonly cwdOf: (task: Pick<TaskRecord, 'agentId'>) => string;
  readonly timeoutMs: number;
  readonly maxAttempts: number;
  readonly permissions: PermissionPolicy;
}

/** How tasks are run. */
export interface RunnerSettings {
  /** Tasks at the same time. */
  readonly concurrency: number;
  readonly leaseMs: number;
  /** What becomes of a task whose runner ends before it is done. */
  readonly orphans: 'lost' | 'requeue';
  readonly runtimes: Readonly<Partial<Record<RunnableRuntime, RuntimeSettings>>>;
}

export function runnerSettings(context: EngineContext, loaded: LoadedConfig): RunnerSettings {
  const { concurrency, leaseSeconds, orphans, runtimes } = loaded.resolved.flows;
  const configured = RUNNABLE.flatMap((runtime) => {
    const settings = runtimeSettings(runtimes[runtime], context, loaded);
    return settings === undefined ? [] : [[runtime, settings] as const];
  });
  return {
    concurrency,
    leaseMs: leaseSeconds * 1000,
    orphans,
    runtimes: Object.fromEntries(configured),
  };
}

function runtimeSettings(
  configured: LoadedConfig['resolved']['flows']['runtimes'][RunnableRuntime],
  context: EngineContext,
  loaded: LoadedConfig,
): RuntimeSettings | undefined {
  const [word, ...args] = configured?.command ?? [];
  if (configured === undefined || word === undefined) return undefined;
  const { cwd, env = {}, timeoutSeconds, maxAttempts, permissions } = configured;
  const place = cwd === undefined ? undefined : resolveConfiguredPath(loaded, cwd, context);
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

/**
 * The workspace of a task's agent, or of the default agent.
 *
 * @throws SvcError AGENT_UNKNOWN, because its program would run in the folder of another agent
 */
function workspaceOf(agentId: string | null, context: EngineContext, loaded: LoadedConfig): string {
  return resolveAgent(loaded, agentId ?? undefined, context).workspaceDir;
}

/** A configured program for tasks or notifications. */
interface NamedProgram {
  /** Where its command is configured. */
  readonly path: ConfigPath;
  /** Its absolute path, or why it was not found. */
  readonly found: string | SvcError;
}

/** Finds every program configured in `flows`. */
export function namedPrograms(
  context: EngineContext,
  loaded: LoadedConfig,
): readonly NamedProgram[] {
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
    word === undefined ? [] : [{ path, found: look(word, context, loaded) }],
  );
}

/** The first one that was not found. */
export function missingProgram(context: EngineContext, loaded: LoadedConfig): SvcError | undefined {
  return namedPrograms(context, loaded)
    .map(({ found }) => found)
    .find((found) => found instanceof SvcError);
}

function look(word: string, context: EngineContext, loaded: LoadedConfig): string | SvcError {
  try {
    return findProgram(word, context, loaded);
  } catch (error) {
    if (error instanceof SvcError) return error;
    throw error;
  }
}
