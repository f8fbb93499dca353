import {
  type ConfigInput,
  type LoadedConfig,
  resolveConfig,
} from '../../src/engine/config/index.js';
import type { TaskRecord } from '../../src/engine/flow-model/task-record.js';
import { type Flows, openFlows } from '../../src/engine/flows/index.js';
import type { Clock, EngineContext } from '../../src/engine/support/context.js';
import { openRunner, type TaskRunner } from '../../src/engine/task-runner/task-runner.js';
import { contextOf } from './context.js';
import { newFlow, newTask } from './flows.js';
import { testLog } from './services.js';
import { type TempFolder, tempFolder } from './temp-folder.js';
import { waitFor } from './wait.js';

type FlowsSettings = NonNullable<ConfigInput['flows']>;
type Runtime = NonNullable<NonNullable<FlowsSettings['runtimes']>['subagent']>;

/** Settings with a program for the runtime `subagent`: a script that Node.js runs. */
export function subagent(script: string, more: Partial<Runtime> = {}): FlowsSettings {
  return { runtimes: { subagent: { command: [process.execPath, '-e', script], ...more } } };
}

/** A state folder with runners on it, and the flows as another process sees them. */
export interface RunnerWorld {
  readonly home: TempFolder;
  readonly context: EngineContext;
  readonly loaded: LoadedConfig;
  readonly flows: Flows;
  /** The log lines of all runners. */
  readonly logText: () => string;
  /** Starts a runner, which is closed with the world. */
  startRunner(onProblem?: (error: unknown) => void): Promise<TaskRunner>;
  /** Adds a task to a new flow. */
  addTask(fields?: Parameters<typeof newTask>[2]): Promise<string>;
  taskOf(id: string): Promise<TaskRecord>;
  /** Waits until a task fulfils the condition. */
  whenTask(id: string, condition: (task: TaskRecord) => boolean): Promise<TaskRecord>;
  /** Waits until a task has ended. */
  whenEnded(id: string): Promise<TaskRecord>;
  close(): Promise<void>;
}

const open = new Set<RunnerWorld>();

/** Closes the worlds of failed tests, whose runners would look for tasks for ever. */
export async function closeWorlds(): Promise<void> {
  for (const world of open) await world.close();
}

/** A new state folder without runners. */
export async function runnerWorld(
  settings: FlowsSettings,
  {
    env = {},
    clock = { now: Date.now },
    home = tempFolder(),
  }: {
    readonly env?: Readonly<Record<string, string>>;
    readonly clock?: Clock;
    readonly home?: TempFolder;
  } = {},
): Promise<RunnerWorld> {
  home.write('workspace/MEMORY.md', '# Memory\n');
  const context = contextOf(home.path, { env: { PATH: process.env['PATH'], ...env }, clock });
  const input: ConfigInput = { flows: settings };
  const loaded: LoadedConfig = {
    file: undefined,
    input,
    resolved: resolveConfig(input),
    warnings: [],
  };
  const flows = await openFlows(context, loaded.resolved);
  const { logger, lines } = testLog();
  const runners: TaskRunner[] = [];
  const taskOf = async (id: string) => (await flows.operator.showTask(id)).task;
  let last: TaskRecord | undefined;
  const whenTask = (id: string, condition: (task: TaskRecord) => boolean): Promise<TaskRecord> =>
    waitFor(
      'a task',
      async () => {
        last = await taskOf(id);
        return condition(last) ? last : undefined;
      },
      () => [last, lines],
    );
  const world: RunnerWorld = {
    home,
    context,
    loaded,
    flows,
    logText: () => lines.join(''),
    startRunner: async (onProblem) => {
      const runner = await openRunner({ context, loaded, log: logger, onProblem });
      runners.push(runner);
      return runner;
    },
    addTask: async (fields = {}) => newTask(flows, await newFlow(flows), fields),
    taskOf,
    whenTask,
    whenEnded: (id) => whenTask(id, ({ endedAt }) => endedAt !== null),
    close: async () => {
      open.delete(world);
      for (const runner of runners) await runner.close();
      await flows.close();
    },
  };
  open.add(world);
  return world;
}
