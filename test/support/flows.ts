import { type ConfigInput, resolveConfig } from '../../src/engine/config/index.js';
import type { FlowAction } from '../../src/engine/flow-model/action-schemas.js';
import {
  type ClaimedTask,
  type FlowAnswer,
  type FlowCaller,
  type Flows,
  openFlows,
  type TaskLease,
} from '../../src/engine/flows/index.js';
import { contextOf } from './context.js';
import { tempFolder } from './temp-folder.js';

/** A caller with a session of its own. */
export const ADA: FlowCaller = {
  sessionKey: 'agent:main:main',
  controllerId: 'webhooks/ada',
  actor: { kind: 'route', name: 'ada' },
};
/** A caller with another session. */
export const BOB: FlowCaller = {
  sessionKey: 'agent:bob:main',
  controllerId: 'webhooks/bob',
  actor: { kind: 'route', name: 'bob' },
};

/** A clock that a test sets. */
export interface TestClock {
  nowMs: number;
  /** How far somebody set it ahead of the real time. */
  setAheadMs: number;
  now(): number;
}

/** A clock that begins at a round moment. */
export function testClock(): TestClock {
  const clock = {
    nowMs: 1_800_000_000_000,
    setAheadMs: 0,
    now: () => clock.nowMs + clock.setAheadMs,
  };
  return clock;
}

/** Flows in a folder of their own; unless the settings differ, a command is notified of their ends. */
export interface TestFlows {
  readonly home: string;
  readonly clock: TestClock;
  readonly flows: Flows;
  /** Closes the flows, and opens them as another process would. */
  reopen(): Promise<Flows>;
}

/** Opens such flows. */
export async function testFlows(
  settings: ConfigInput['flows'] = {},
  home: string = tempFolder().path,
): Promise<TestFlows> {
  const clock = testClock();
  const config = resolveConfig({ flows: { notify: { command: ['true'] }, ...settings } });
  const open = () => openFlows(contextOf(home, { clock }), config, () => clock.nowMs);
  const opened = {
    home,
    clock,
    flows: await open(),
    reopen: async () => {
      await opened.flows.close();
      opened.flows = await open();
      return opened.flows;
    },
  };
  return opened;
}

/** The flow or task view in an answer. */
export function viewOf(answer: FlowAnswer, name: 'current' | 'flow' | 'task' = 'flow') {
  const view = answer.result[name];
  if (typeof view !== 'object' || view === null || Array.isArray(view)) {
    throw new Error(`no ${name} in ${JSON.stringify(answer)}`);
  }
  return { ...view } as Readonly<Record<string, unknown>>;
}

/** The code of an answer; `ok` where there is none. */
export function codeOf(answer: FlowAnswer): string {
  return answer.ok ? (answer.code ?? 'ok') : answer.code;
}

/** Claims a task, which must exist. */
export async function claimTask(flows: Flows, filter: object = {}): Promise<ClaimedTask> {
  const task = await flows.tasks.claim({ worker: 'w', ...filter });
  if (task === undefined) throw new Error('nothing to claim');
  return task;
}

/** The lease of a claimed task. */
export function leaseOf({ task, leaseToken }: ClaimedTask): TaskLease {
  return { taskId: task.taskId, token: leaseToken };
}

/** How many notifications are not settled. */
export async function pendingCount({ operator }: Pick<Flows, 'operator'>): Promise<number> {
  return (await operator.listNotifications({ outcome: 'pending', limit: 1 })).total;
}

/** Creates a flow and returns its id. */
export async function newFlow(
  flows: Flows,
  caller: FlowCaller = ADA,
  fields: Partial<Extract<FlowAction, { action: 'create_flow' }>> = {},
): Promise<string> {
  const answer = await flows.perform({ action: 'create_flow', goal: 'a goal', ...fields }, caller);
  return String(viewOf(answer)['flowId']);
}

/** Adds a task to a flow and returns its id. */
export async function newTask(
  flows: Flows,
  flowId: string,
  fields: Partial<Extract<FlowAction, { action: 'run_task' }>> = {},
): Promise<string> {
  const task = { runtime: 'subagent', task: 'a task', ...fields } as const;
  const answer = await flows.perform({ action: 'run_task', flowId, ...task }, ADA);
  return String(viewOf(answer, 'task')['taskId']);
}
