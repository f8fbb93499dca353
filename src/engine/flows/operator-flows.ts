import { SvcError } from '../errors/index.js';
import type { Clock } from '../support/context.js';
import { cancelFlow } from './actions/cancel-flow.js';
import { auditFlows, auditTasks } from './audit.js';
import type { FlowRecord, FlowStatus } from './flow-record.js';
import type { FlowStore } from './flow-store.js';
import type { FlowFilter } from './store/flow-rows.js';
import type { TaskFilter } from './store/task-rows.js';
import { prune, sweep } from './sweep.js';
import type { TaskRecord, TaskStatus } from './task-record.js';
import { findRecord, orThrow } from './task-store.js';
import { summarizeTasks, type TaskSummary } from './task-summary.js';

/** A flow with the counts of its tasks. */
export interface FlowEntry {
  readonly flow: FlowRecord;
  readonly summary: TaskSummary;
}

/** Part of a list, newest first. */
export interface Page<T> {
  readonly entries: readonly T[];
  /** How many there are without the limit. */
  readonly total: number;
}

/** How many there are in each state that occurs. */
export type StatusCounts<Status extends string> = Readonly<Partial<Record<Status, number>>>;

/** What operators see and do: in all sessions, by ids or prefixes of ids. */
export function operatorFlows(store: FlowStore, clock: Clock) {
  const entryOf = (flow: FlowRecord): FlowEntry => ({
    flow,
    summary: summarizeTasks(store.tables.tasks.countsOf(flow.seq)),
  });
  return {
    listFlows: (filter: FlowFilter): Page<FlowEntry> =>
      store.read(({ flows }) => ({
        entries: flows.list(filter).map(entryOf),
        total: flows.count(filter),
      })),
    /** @throws SvcError FLOW_NOT_FOUND */
    showFlow: (idOrPrefix: string) =>
      store.read((tables) => {
        const flow = orThrow(findRecord('flow', tables.flows, idOrPrefix));
        return { ...entryOf(flow), tasks: tables.tasks.ofFlow(flow.seq) };
      }),
    /** @throws SvcError FLOW_NOT_FOUND, FLOW_ENDED */
    cancelFlow: async (idOrPrefix: string) =>
      orThrow(
        await store.write((work) => {
          const flow = findRecord('flow', work.flows, idOrPrefix);
          if (flow instanceof SvcError) return flow;
          const result = cancelFlow(work, flow);
          if (result.state !== 'ended_before') return result;
          return new SvcError('FLOW_ENDED', `flow ${flow.flowId} is already ${flow.status}`, {
            hint: 'there is nothing left to cancel',
          });
        }),
      ),
    /** @param keepMs how long to keep what has ended; as configured when left out */
    prune: (keepMs?: number) => prune(store, keepMs),
    listTasks: (filter: TaskFilter): Page<TaskRecord> =>
      store.read(({ tasks }) => ({ entries: tasks.list(filter), total: tasks.count(filter) })),
    /** @throws SvcError TASK_NOT_FOUND */
    showTask: (idOrPrefix: string) =>
      store.read((tables) => {
        const task = orThrow(findRecord('task', tables.tasks, idOrPrefix));
        return { task, flow: tables.flows.bySeq(task.flowSeq) };
      }),
    counts: (): { flows: StatusCounts<FlowStatus>; tasks: StatusCounts<TaskStatus> } =>
      store.read(({ flows, tasks }) => ({
        flows: Object.fromEntries(flows.countsByStatus()),
        tasks: Object.fromEntries(tasks.countsByStatus()),
      })),
    auditFlows: () => store.read(() => auditFlows(store.database, clock.now())),
    auditTasks: () => store.read(() => auditTasks(store.database, clock.now())),
    /** Takes back tasks of dead workers, finishes cancellations, deletes what has expired. */
    sweep: () => sweep(store),
  };
}
