import type { Clock } from '../context.js';
import { SvcError } from '../errors/index.js';
import { type CancelResult, cancelFlow } from './actions/cancel-flow.js';
import { auditFlows } from './audit/audit-flows.js';
import { auditTasks } from './audit/audit-tasks.js';
import type { FlowFinding, TaskFinding } from './audit/finding.js';
import { findFlow, findTask } from './find-record.js';
import type { FlowRecord, FlowStatus } from './flow-record.js';
import type { FlowStore } from './flow-store.js';
import type { FlowFilter } from './store/flow-rows.js';
import type { TaskFilter } from './store/task-rows.js';
import { prune, type SweepReport, sweep } from './sweep.js';
import type { TaskRecord, TaskStatus } from './task-record.js';
import { orThrow } from './task-store.js';
import { summarizeTasks, type TaskSummary } from './views.js';

/** A flow beside the counts of its tasks. */
export interface FlowEntry {
  readonly flow: FlowRecord;
  readonly summary: TaskSummary;
}

/** A part of a list, newest first. */
export interface Page<T> {
  readonly entries: readonly T[];
  /** How many there are without the limit. */
  readonly total: number;
}

/** How many there are in each state that occurs. */
export type StatusCounts<Status extends string> = Readonly<Partial<Record<Status, number>>>;

/** What operators see and do: of all sessions, by ids or the beginnings of ids. */
export interface OperatorFlows {
  listFlows(filter: FlowFilter): Page<FlowEntry>;
  /** @throws SvcError FLOW_NOT_FOUND */
  showFlow(idOrPrefix: string): FlowEntry & { readonly tasks: readonly TaskRecord[] };
  /** @throws SvcError FLOW_NOT_FOUND, FLOW_ENDED */
  cancelFlow(idOrPrefix: string): Promise<CancelResult>;
  /** @param keepMs how long what has ended is kept; the configuration's time when left out */
  prune(keepMs?: number): Promise<{ readonly flows: number; readonly tasks: number }>;
  listTasks(filter: TaskFilter): Page<TaskRecord>;
  /** @throws SvcError TASK_NOT_FOUND */
  showTask(idOrPrefix: string): { readonly task: TaskRecord; readonly flow?: FlowRecord };
  /** All there are, counted by their states. */
  counts(): { readonly flows: StatusCounts<FlowStatus>; readonly tasks: StatusCounts<TaskStatus> };
  auditFlows(): readonly FlowFinding[];
  auditTasks(): readonly TaskFinding[];
  /** Takes tasks back from workers that are gone, ends what is to be cancelled, deletes what is old. */
  sweep(): Promise<SweepReport>;
}

/** The operators' side of an open store. */
export function operatorFlows(store: FlowStore, clock: Clock): OperatorFlows {
  const entryOf = (flow: FlowRecord): FlowEntry => ({
    flow,
    summary: summarizeTasks(store.tables.tasks.countsOf(flow.seq)),
  });
  return {
    listFlows: (filter) =>
      store.read(({ flows }) => ({
        entries: flows.list(filter).map(entryOf),
        total: flows.count(filter),
      })),
    showFlow: (id) =>
      store.read((tables) => {
        const flow = orThrow(findFlow(tables, id));
        return { ...entryOf(flow), tasks: tables.tasks.ofFlow(flow.seq) };
      }),
    cancelFlow: async (id) =>
      orThrow(
        await store.write((work) => {
          const flow = findFlow(work, id);
          if (flow instanceof SvcError) return flow;
          const result = cancelFlow(work, flow);
          if (result.state !== 'ended_before') return result;
          return new SvcError('FLOW_ENDED', `flow ${flow.flowId} is ${flow.status} already`, {
            hint: 'there is nothing left to cancel',
          });
        }),
      ),
    prune: (keepMs) => prune(store, keepMs),
    listTasks: (filter) =>
      store.read(({ tasks }) => ({ entries: tasks.list(filter), total: tasks.count(filter) })),
    showTask: (id) =>
      store.read((tables) => {
        const task = orThrow(findTask(tables, id));
        const flow = tables.flows.bySeq(task.flowSeq);
        return { task, ...(flow === undefined ? {} : { flow }) };
      }),
    counts: () =>
      store.read(({ flows, tasks }) => ({
        flows: Object.fromEntries(flows.countsByStatus()),
        tasks: Object.fromEntries(tasks.countsByStatus()),
      })),
    auditFlows: () => store.read(() => auditFlows(store.auditRows(), clock.now())),
    auditTasks: () => store.read(() => auditTasks(store.auditRows(), clock.now())),
    sweep: () => sweep(store),
  };
}
