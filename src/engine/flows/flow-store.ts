import type { FlowRecord, FlowStatus } from '../flow-model/flow-record.js';
import type { Actor, HistoryEntry, NewHistoryEntry } from '../flow-model/history-record.js';
import type { NotificationOutcome, NotificationRecord } from '../flow-model/notification-record.js';
import type { ScheduleRecord } from '../flow-model/schedule-record.js';
import type {
  PauseRecord,
  TaskCount,
  TaskRecord,
  TaskRuntime,
  TaskStatus,
} from '../flow-model/task-record.js';
import type { ClockJump } from '../support/time.js';
import type { NotificationFilter } from './notification-targets.js';
import type { EndedRecords, FlowStatistics, Period } from './statistics.js';
import type { FlowTrouble, TaskTrouble } from './store/troubles.js';

/**
 * Where flows are kept. Several processes, and with some stores several hosts, share one; each change is a
 * transaction that sees what all others have committed.
 */
export interface FlowStore {
  readonly policy: FlowPolicy;
  /**
   * The time of the store in milliseconds since the epoch; a change has its exact one. After the machine slept, it can
   * be behind until the next change or {@link version}.
   */
  now(): number;
  /**
   * Runs a change in a transaction, together with others. Resolves once it is on disk. If it rejects, nothing was
   * done, unless the error says that the change may have been kept.
   *
   * @param change awaits nothing but the tables, and can run twice: it must read before it writes
   */
  write<T>(change: (work: Work) => Promise<T>, scope?: ChangeScope): Promise<T>;
  /** Reads what is committed. */
  read<T>(query: (tables: Tables) => Promise<T>): Promise<T>;
  /** Calls back with each change of this process once it is on disk. @returns unsubscribes */
  subscribe(listener: (change: FlowsChange) => void): () => void;
  /** Differs whenever any process has committed something in between. Cheap. */
  version(): Promise<string>;
  /** Waits at most so long; less if the store learns that another process has work for a waiter. Never rejects. */
  rest(ms: number, signal: AbortSignal): Promise<void>;
  /** Waits for the changes in progress, and closes the store. */
  close(): Promise<void>;
}

/**
 * What a change can touch, which decides whose company it can have in a transaction: one flow with its tasks and
 * notifications (default), tasks that are claimed, or anything.
 */
export type ChangeScope = 'anything' | 'claims' | 'flow';

/** The tables of a store. In a change, what is found by its id stays as it is until the transaction ends. */
export interface Tables {
  readonly flows: FlowRows;
  readonly tasks: TaskRows;
  readonly notifications: NotificationRows;
  readonly answers: AnswerRows;
  readonly statistics: StatisticsRows;
  readonly pauses: PauseRows;
  readonly history: HistoryRows;
  readonly schedules: ScheduleRows;
}

/** A change that is on disk. */
export type FlowsChange =
  | { readonly type: 'flow'; readonly flow: FlowRecord }
  | { readonly type: 'notification'; readonly id: string }
  | { readonly type: 'pause' }
  | { readonly type: 'task'; readonly task: TaskRecord };

/** What a change works with: one transaction at one moment. */
export interface Work extends Tables {
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  /** The last jump of the clock that this process noticed; it does not shorten leases. */
  readonly jump: ClockJump | undefined;
  readonly policy: FlowPolicy;
  /** On whose behalf it is. */
  readonly actor: Actor;
  /** What the transaction has changed so far, in order. */
  readonly changes: FlowsChange[];
  /** The same for the history, which is stored at the end of the transaction. */
  readonly notes: NewHistoryEntry[];
}

/** The configuration of flows, in the units it is used in. */
export interface FlowPolicy {
  /** How long ended flows and tasks are kept. */
  readonly retentionMs: number;
  /** How long a repeated request is recognised. */
  readonly idempotencyMs: number;
  /** How long a worker can be silent before its task is taken back. */
  readonly leaseMs: number;
  /** What becomes of a task whose worker is dead. */
  readonly orphans: 'lost' | 'requeue';
  /** Who is notified; without any, no notification is stored. */
  readonly targets: readonly NotificationFilter[];
  /** How often a task is attempted before it has failed. */
  readonly maxAttempts: (runtime: TaskRuntime) => number;
}

/** What metrics count. */
export interface StatisticsRows {
  now(): Promise<FlowStatistics>;
  ended(period: Period): Promise<EndedRecords>;
}

/** Which records to list; what is left out limits nothing. */
export interface RecordFilter<Status extends string> {
  readonly statuses?: readonly Status[] | undefined;
  readonly ownerKey?: string | undefined;
  /** Created at or after this time, epoch milliseconds. */
  readonly sinceMs?: number | undefined;
  /** Created before this time. */
  readonly beforeMs?: number | undefined;
  readonly limit: number;
}

/** Part of a list, newest first. */
export interface Page<T> {
  readonly entries: readonly T[];
  /** How many there are without the limit. */
  readonly total: number;
}

/** Which flows to list. */
export interface FlowFilter extends RecordFilter<FlowStatus> {
  /** Created by this webhook route. */
  readonly route?: string | undefined;
}

/** Which tasks to list. */
export interface TaskFilter extends RecordFilter<TaskStatus> {
  readonly runtimes?: readonly TaskRuntime[] | undefined;
}

/** Records whose `seq` grows with each new one. */
export interface RecordRows<Row extends { readonly seq: number }> {
  /** @returns the row with its `seq` */
  insert<New extends Omit<Row, 'seq'>>(row: New): Promise<New & { readonly seq: number }>;
  /** Writes every field of the row with this `seq`. */
  update(row: Row): Promise<void>;
  byId(id: string): Promise<Row | undefined>;
}

/** Records that operators list and find. */
export interface FoundRows<
  Row extends { readonly seq: number; readonly status: string },
  Filter,
  Trouble,
> extends RecordRows<Row> {
  /** At most two, which is enough to know that a prefix is ambiguous. */
  byPrefix(prefix: string): Promise<readonly Row[]>;
  /** Newest first. */
  list(filter: Filter): Promise<readonly Row[]>;
  /** How many fit, without the limit. */
  count(filter: Omit<Filter, 'limit'>): Promise<number>;
  countsByStatus(): Promise<readonly (readonly [Row['status'], number])[]>;
  /** Those that something is wrong with. @param beforeMs what happened before is too long ago */
  troubled(trouble: Trouble, beforeMs: number, limit: number): Promise<readonly Row[]>;
}

/** The table of flows. */
export interface FlowRows extends FoundRows<FlowRecord, FlowFilter, FlowTrouble> {
  /** In a change, its flow must have been found by its id, or through one of its tasks. */
  bySeq(seq: number): Promise<FlowRecord | undefined>;
  latestOf(ownerKey: string): Promise<FlowRecord | undefined>;
  /** An owner's flows created before one of them, newest first. */
  newestOf(ownerKey: string, beforeSeq: number, limit: number): Promise<readonly FlowRecord[]>;
  /** Active flows whose cancellation was requested before a time, and that have no active task. */
  cancelledWithoutTasks(beforeMs: number, limit: number): Promise<readonly FlowRecord[]>;
  /** Deletes flows that ended before a time, with their tasks. @returns how many of each */
  prune(
    beforeMs: number,
    limit: number,
  ): Promise<{ readonly flows: number; readonly tasks: number }>;
}

/** Which queued tasks a worker takes. */
export interface QueueFilter {
  readonly runtimes?: readonly TaskRuntime[] | undefined;
  readonly agentId?: string | undefined;
}

/** The table of tasks. In a change, whoever finds one by its id has also found its flow. */
export interface TaskRows extends FoundRows<TaskRecord, TaskFilter, TaskTrouble> {
  /** The session that owns a task. */
  ownerOf(id: string): Promise<string | undefined>;
  /** The task of a flow that was created for a run. */
  ofRun(flowSeq: number, runId: string): Promise<TaskRecord | undefined>;
  /** Oldest first. */
  ofFlow(flowSeq: number): Promise<readonly TaskRecord[]>;
  /** An owner's tasks created before one of them, newest first. @param flowSeq only those of this flow */
  newestOf(
    ownerKey: string,
    flowSeq: number | undefined,
    beforeSeq: number,
    limit: number,
  ): Promise<readonly TaskRecord[]>;
  activeOf(flowSeq: number): Promise<number>;
  countsOf(flowSeq: number): Promise<readonly TaskCount[]>;
  /** The oldest task that can start now, whose runtime is not paused, and that no other change takes. */
  nextQueued(nowMs: number, filter: QueueFilter): Promise<TaskRecord | undefined>;
  /** When the next retry of a runtime that is not paused is due, or the next lease expires. */
  nextDueAt(): Promise<number | undefined>;
  /**
   * Tasks whose worker has not reported in time. A lease from before a jump of the clock lasts that
   * much longer: its worker had less time than the clock says. Can be empty for one that has just claimed a task.
   */
  expired(now: Pick<Work, 'jump' | 'nowMs'>, limit: number): Promise<readonly TaskRecord[]>;
  /** Gives ended tasks without one the date after which they can be pruned. @returns how many */
  stampCleanup(retentionMs: number, limit: number): Promise<number>;
  /** Deletes tasks past that date, except those that block an active flow. @returns how many */
  prune(nowMs: number, limit: number): Promise<number>;
}

/** The table of runtimes whose tasks wait. */
export interface PauseRows {
  all(): Promise<readonly PauseRecord[]>;
  /** An existing one keeps its time, and its reason unless there is another one. */
  keep(pause: PauseRecord): Promise<void>;
  remove(runtime: TaskRuntime): Promise<void>;
}

/** The table of schedules that have been run or waited for. */
export interface ScheduleRows {
  all(): Promise<readonly ScheduleRecord[]>;
  /** In a change, others wait for the row of an existing schedule. */
  find(id: string): Promise<ScheduleRecord | undefined>;
  /** Does nothing if another change has added the schedule meanwhile. */
  add(schedule: ScheduleRecord): Promise<void>;
  update(schedule: ScheduleRecord): Promise<void>;
}

/** Which notifications to take, and for how long. */
export interface TakeDueOptions {
  readonly target: string;
  readonly limit: number;
  readonly holdMs: number;
  /** Flows whose notifications are left alone, so that others come first. */
  readonly exceptFlows?: readonly string[] | undefined;
}

/** Which notifications to list; what is left out limits nothing. */
export interface NotificationFilters {
  readonly outcome?: NotificationOutcome | undefined;
  readonly target?: string | undefined;
  readonly flowId?: string | undefined;
  /** Of events at or after this time, epoch milliseconds. */
  readonly sinceMs?: number | undefined;
  readonly limit: number;
}

/** The table of notifications: one row for each event and target. */
export interface NotificationRows extends Omit<RecordRows<NotificationRecord>, 'byId'> {
  /** All of one event. */
  ofEvent(notificationId: string): Promise<readonly NotificationRecord[]>;
  bySeq(seq: number): Promise<NotificationRecord | undefined>;
  /** Newest first. */
  list(filter: NotificationFilters): Promise<readonly NotificationRecord[]>;
  /** How many fit, without the limit. */
  count(filter: Omit<NotificationFilters, 'limit'>): Promise<number>;
  /** Those that were given up, after another one, oldest first. */
  failedAfter(
    seq: number,
    filter: Omit<NotificationFilters, 'limit' | 'outcome'>,
    limit: number,
  ): Promise<readonly NotificationRecord[]>;
  /** Unsettled ones that were due before a time, for none of these targets. */
  unclaimed(
    targets: readonly string[],
    beforeMs: number,
    limit: number,
  ): Promise<readonly NotificationRecord[]>;
  /**
   * Oldest first. Without those of flows that somebody attempts a first delivery of right now, whose place is before
   * them. Whoever asks in a change takes them: others wait until that ends.
   */
  due(
    nowMs: number,
    options: Omit<TakeDueOptions, 'holdMs'>,
  ): Promise<readonly NotificationRecord[]>;
  /** By target, in epoch milliseconds; targets with nothing left are missing. */
  nextDueAt(targets: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** How many are not settled. */
  pending(): Promise<number>;
  /** How many were given up. */
  failed(): Promise<number>;
  /** Deletes those delivered, or given up, before a time. @returns how many */
  prune(
    before: Readonly<Record<'deliveredMs' | 'failedMs', number>>,
    limit: number,
  ): Promise<number>;
}

/** The table of what happened to flows. Stores add what a change notes in its {@link Work}. */
export interface HistoryRows {
  /** Oldest first. */
  ofFlow(flowSeq: number): Promise<readonly HistoryEntry[]>;
  /**
   * Deletes the middle of histories that are too long, of flows that have not ended before a time. @returns how many
   * were too long
   */
  trim(endedSinceMs: number, limit: number): Promise<number>;
}

/** The first answer to a request with an idempotency key. */
export interface KeptAnswer {
  readonly bodyHash: string;
  /** JSON text. */
  readonly answer: string;
}

/** A key is unique within an owner and an action. */
export interface AnswerKey {
  readonly ownerKey: string;
  readonly action: string;
  readonly key: string;
}

/** The table of answers for repeated requests. */
export interface AnswerRows {
  /** Undefined if there is none, or it has expired; the change must then keep one, and others wait for it. */
  find(key: AnswerKey, nowMs: number): Promise<KeptAnswer | undefined>;
  keep(key: AnswerKey, answer: KeptAnswer, expiresAt: number): Promise<void>;
  /** @returns how many were deleted */
  prune(nowMs: number, limit: number): Promise<number>;
}
