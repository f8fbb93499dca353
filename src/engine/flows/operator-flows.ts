import { isStorageFailure, SvcError } from '../errors/index.js';
import type { FlowRecord, FlowStatus } from '../flow-model/flow-record.js';
import { type HistoryEntry, OPERATOR } from '../flow-model/history-record.js';
import { summarizeTasks, type TaskRecord, type TaskStatus } from '../flow-model/task-record.js';
import { cancelFlow } from './actions/change-flow.js';
import { auditFlows, auditTasks, unclaimedTasks } from './audit.js';
import type { FlowStore, Page } from './flow-store.js';
import { actingAs, historyOf } from './history.js';
import { operatorNotifications } from './operator-notifications.js';
import { FIRST_KEPT, type FlowFilter, MOST_KEPT } from './store/flow-table.js';
import type { Tables } from './store/tables.js';
import type { TaskFilter } from './store/task-table.js';
import { prune, sweep } from './sweep.js';
import { orThrow } from './task-store.js';

/** A flow with the counts of its tasks. */
export type FlowEntry = Awaited<ReturnType<typeof entryOf>>;
/** A flow with its tasks, and what happened to them, oldest first. */
export type FlowDetails = Awaited<ReturnType<ReturnType<typeof operatorFlows>['showFlow']>>;
/** A task with its flow, and what happened to it, oldest first. */
export type TaskDetails = Awaited<ReturnType<ReturnType<typeof operatorFlows>['showTask']>>;
/** What happened to a flow and its tasks, oldest first. */
export type FlowHistory = ReturnType<typeof flowHistory>;

/** How many there are in each state that occurs. */
export interface FlowCounts {
  readonly flows: Readonly<Partial<Record<FlowStatus, number>>>;
  readonly tasks: Readonly<Partial<Record<TaskStatus, number>>>;
  /** Notifications that could not be delivered. */
  readonly failedNotifications: number;
}

/** What operators see and do: in all sessions, by ids or prefixes of ids. */
export function operatorFlows(store: FlowStore) {
  return {
    listFlows: (filter: FlowFilter): Promise<Page<FlowEntry>> =>
      store.read(async (tables) => {
        const [listed, total] = await Promise.all([
          tables.flows.list(filter),
          tables.flows.count(filter),
        ]);
        return { entries: await Promise.all(listed.map((flow) => entryOf(tables, flow))), total };
      }),
    /** Undefined if it does not exist, or not any more. */
    findFlow: (id: string) => store.read(({ flows }) => flows.byId(id)),
    /** The same for a task. */
    findTask: (id: string) => store.read(({ tasks }) => tasks.byId(id)),
    /** @throws SvcError FLOW_NOT_FOUND */
    showFlow: (idOrPrefix: string) =>
      store.read(async (tables) => {
        const flow = orThrow(await tables.flows.named(idOrPrefix));
        return {
          ...(await entryOf(tables, flow)),
          tasks: await tables.tasks.ofFlow(flow.seq),
          history: historyOf(flow, await tables.history.ofFlow(flow.seq)),
        };
      }),
    /** Waits for the end of a flow. @throws SvcError FLOW_NOT_FOUND, WAIT_TIMED_OUT; the reason of the signal */
    waitForFlow: (idOrPrefix: string, options: WaitOptions<FlowRecord>) =>
      waitForEnd(store, ({ flows }) => flows.named(idOrPrefix), options),
    /** The same for a task. @throws SvcError TASK_NOT_FOUND, WAIT_TIMED_OUT; the reason of the signal */
    waitForTask: (idOrPrefix: string, options: WaitOptions<TaskRecord>) =>
      waitForEnd(store, ({ tasks }) => tasks.named(idOrPrefix), options),
    /** @throws SvcError FLOW_NOT_FOUND */
    history: (idOrPrefix: string) =>
      store.read(async (tables) => {
        const flow = orThrow(await tables.flows.named(idOrPrefix));
        return flowHistory(flow, await tables.history.ofFlow(flow.seq));
      }),
    /** @throws SvcError FLOW_NOT_FOUND, FLOW_ENDED */
    cancelFlow: async (idOrPrefix: string) =>
      orThrow(
        await store.write(async (tx) => {
          const flow = await tx.flows.named(idOrPrefix);
          if (flow instanceof SvcError) return flow;
          const result = await cancelFlow(actingAs(tx, OPERATOR), flow);
          if (result.state !== 'ended_before') return result;
          return new SvcError('FLOW_ENDED', `flow ${flow.flowId} is already ${flow.status}`, {
            hint: 'there is nothing left to cancel',
          });
        }),
      ),
    /** @param keepMs how long to keep what has ended; as configured when left out */
    prune: (keepMs?: number) => prune(store, keepMs),
    listTasks: (filter: TaskFilter): Promise<Page<TaskRecord>> =>
      store.read(async ({ tasks }) => {
        const [entries, total] = await Promise.all([tasks.list(filter), tasks.count(filter)]);
        return { entries, total };
      }),
    /** @throws SvcError TASK_NOT_FOUND */
    showTask: (idOrPrefix: string) =>
      store.read(async (tables) => {
        const task = orThrow(await tables.tasks.named(idOrPrefix));
        const entries = await tables.history.ofFlow(task.flowSeq);
        return {
          task,
          flow: await tables.flows.bySeq(task.flowSeq),
          history: entries.filter(({ taskId }) => taskId === task.taskId),
        };
      }),
    counts: (): Promise<FlowCounts> =>
      store.read(async ({ flows, tasks, notifications }) => {
        const [ofFlows, ofTasks, failedNotifications] = await Promise.all([
          flows.countsByStatus(),
          tasks.countsByStatus(),
          notifications.countFailed(),
        ]);
        const counts = { flows: Object.fromEntries(ofFlows), tasks: Object.fromEntries(ofTasks) };
        return { ...counts, failedNotifications };
      }),
    ...operatorNotifications(store),
    auditFlows: () => store.read((tables) => auditFlows(tables, store.now())),
    /** Queued tasks that no worker takes. */
    unclaimedTasks: () => store.read((tables) => unclaimedTasks(tables, store.now())),
    auditTasks: () => store.read((tables) => auditTasks(tables, store.now())),
    /** Takes back tasks of dead workers, finishes cancellations, deletes what has expired. */
    sweep: () => sweep(store),
  };
}

function flowHistory(flow: FlowRecord, stored: readonly HistoryEntry[]) {
  const entries = historyOf(flow, stored);
  return {
    flow,
    entries,
    /** When the first complete entry was made; undefined while there is none. Earlier ones show only some changes. */
    startsAt: entries.find(({ actorKind }) => actorKind !== 'unknown')?.at,
    /** Entries are missing after these first ones. */
    gapAfter: stored.length < MOST_KEPT ? undefined : FIRST_KEPT + entries.length - stored.length,
  };
}

async function entryOf({ tasks }: Tables, flow: FlowRecord) {
  return { flow, summary: summarizeTasks(await tasks.countsOf(flow.seq)) };
}

/** How to wait for the end of a flow or task. */
export interface WaitOptions<R> {
  /** Its reason is thrown. */
  readonly signal: AbortSignal;
  /** For how long; without a limit when left out. */
  readonly timeoutMs?: number | undefined;
  /** Called with each change, and first with the record as it is. */
  readonly onChange?: ((record: R) => void) | undefined;
  /** Called each time that the server does not answer. */
  readonly onOutage?: ((error: SvcError) => void) | undefined;
}

/**
 * Reads a record again after each commit until it has ended. A server that does not answer for a while is waited for.
 *
 * @throws SvcError WAIT_TIMED_OUT; what `find` returns; the reason of the signal
 */
async function waitForEnd<R extends { readonly revision: number; readonly endedAt: unknown }>(
  store: FlowStore,
  find: (tables: Tables) => Promise<R | SvcError>,
  { signal, timeoutMs = Number.POSITIVE_INFINITY, onChange, onOutage }: WaitOptions<R>,
): Promise<R> {
  const until = performance.now() + timeoutMs;
  let seen: { readonly version: string; readonly record: R } | undefined;
  for (;;) {
    signal.throwIfAborted();
    try {
      const version = await store.version();
      if (version !== seen?.version) {
        const record = orThrow(await store.read(find));
        if (record.revision !== seen?.record.revision) onChange?.(record);
        seen = { version, record };
        if (record.endedAt !== null) return record;
      }
    } catch (error) {
      if (!isStorageFailure(error) || seen === undefined) throw error;
      onOutage?.(error);
    }
    const leftMs = until - performance.now();
    if (leftMs <= 0) {
      throw new SvcError('WAIT_TIMED_OUT', 'it did not end within the time limit', {
        hint: 'wait longer with --timeout, or without a limit by leaving it out',
      });
    }
    await store.waitForWork(signal, leftMs);
  }
}

/** What became of one of many. */
export interface ChangeOutcome<R> {
  /** After the change, or as it was found. */
  readonly record: R;
  /** Why it was not changed. */
  readonly error: SvcError | undefined;
}

/** The most that one command changes. */
export const MOST_CHANGED = 10_000;

/** Changes of different records that share transactions. */
const AT_ONCE = 50;

/**
 * Changes each of many records in a transaction of its own, which it may share with a few others. One that cannot be
 * changed does not stop the others.
 *
 * @returns all of them; only the first ones if the signal was aborted meanwhile
 */
export async function changeMany<R>(
  records: readonly R[],
  change: (record: R) => Promise<R>,
  signal: AbortSignal,
): Promise<readonly ChangeOutcome<R>[]> {
  const changed: ChangeOutcome<R>[] = [];
  for (let at = 0; at < records.length; at += AT_ONCE) {
    if (signal.aborted) break;
    const group = records.slice(at, at + AT_ONCE);
    changed.push(...(await Promise.all(group.map((record) => attempt(record, change)))));
  }
  return changed;
}

async function attempt<R>(record: R, change: (record: R) => Promise<R>): Promise<ChangeOutcome<R>> {
  try {
    return { record: await change(record), error: undefined };
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    return { record, error };
  }
}
