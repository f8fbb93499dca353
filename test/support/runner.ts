import {
  type ConfigInput,
  type LoadedConfig,
  resolveConfig,
} from '../../src/engine/config/index.js';
import type { TaskRecord } from '../../src/engine/flow-model/task-record.js';
import { type Flows, openFlows } from '../../src/engine/flows/index.js';
import {
  type Clock,
  type EngineContext,
  resolveStatePaths,
} from '../../src/engine/support/context.js';
import { type OpenRunner, openRunner } from '../../src/engine/task-runner/task-runner.js';
import { newFlow, newTask } from './flows.js';
import { testLog } from './services.js';
import { type TempFolder, tempFolder } from './temp-folder.js';
import { waitFor } from './wait.js';

type FlowsSettings = NonNullable<ConfigInput['flows']>;
type Runtime = NonNullable<NonNullable<FlowsSettings['runtimes']>['subagent']>;

/** A program of runtime `subagent`, given as the text of a script for node. */
export function subagent(script: string, more: Partial<Runtime> = {}): FlowsSettings {
  return { runtimes: { subagent: { command: [process.execPath, '-e', script], ...more } } };
}

/** A state folder with runners on it, and the flows as another process sees them. */
export interface RunnerWorld {
  readonly home: TempFolder;
  readonly context: EngineContext;
  readonly loaded: LoadedConfig;
  readonly flows: Flows;
  /** Every line that any runner logged. */
  readonly logged: () => string;
  /** Begins a runner. */
  run(): Promise<OpenRunner>;
  /** Adds a task to a flow of its own. */
  task(fields?: Parameters<typeof newTask>[2]): Promise<string>;
  taskOf(id: string): Promise<TaskRecord>;
  /** Waits until a task fits. */
  until(id: string, fits: (task: TaskRecord) => boolean): Promise<TaskRecord>;
  /** Waits until it is over. */
  end(id: string): Promise<TaskRecord>;
  close(): Promise<void>;
}

const open = new Set<RunnerWorld>();

/** Closes what a failed test left open: its runners would look for tasks for ever. */
export async function closeWorlds(): Promise<void> {
  for (const world of open) await world.close();
}

/** Makes one; its runners are closed with it. */
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
  const context: EngineContext = {
    env: { PATH: process.env['PATH'], SVC_HOME: home.path, ...env },
    cwd: home.path,
    homeDir: home.path,
    state: resolveStatePaths({ SVC_HOME: home.path }, home.path),
    clock,
  };
  const input: ConfigInput = { flows: settings };
  const loaded: LoadedConfig = {
    file: undefined,
    input,
    resolved: resolveConfig(input),
    warnings: [],
  };
  const flows = await openFlows(context, loaded.resolved);
  const { logger, lines } = testLog();
  const runners: OpenRunner[] = [];
  const taskOf = async (id: string) => (await flows.operator.showTask(id)).task;
  let last: TaskRecord | undefined;
  const until = (id: string, fits: (task: TaskRecord) => boolean): Promise<TaskRecord> =>
    waitFor(
      'a task',
      async () => {
        last = await taskOf(id);
        return fits(last) ? last : undefined;
      },
      () => [last, lines],
    );
  const world: RunnerWorld = {
    home,
    context,
    loaded,
    flows,
    logged: () => lines.join(''),
    run: async () => {
      const runner = await openRunner({ context, loaded, log: logger });
      runners.push(runner);
      return runner;
    },
    task: async (fields = {}) => newTask(flows, await newFlow(flows), fields),
    taskOf,
    until,
    end: (id) => until(id, ({ endedAt }) => endedAt !== null),
    close: async () => {
      open.delete(world);
      for (const runner of runners) await runner.close();
      await flows.close();
    },
  };
  open.add(world);
  return world;
}
