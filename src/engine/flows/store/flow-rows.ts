import type { Connection } from '../../sqlite/database.js';
import type { FlowRecord, FlowStatus } from '../flow-record.js';
import { recordFinder } from './record-finder.js';
import { type Columns, recordTable, selectFrom } from './record-table.js';
import { atLeast, equals, type Where, whereOf } from './where.js';

const COLUMNS: Columns<FlowRecord> = {
  seq: 'seq',
  flowId: 'id',
  ownerKey: 'owner_key',
  syncMode: 'sync_mode',
  controllerId: 'controller_id',
  revision: 'revision',
  status: 'status',
  notifyPolicy: 'notify_policy',
  goal: 'goal',
  currentStep: 'current_step',
  blockedTaskId: 'blocked_task_id',
  blockedSummary: 'blocked_summary',
  stateJson: 'state_json',
  waitJson: 'wait_json',
  cancelRequestedAt: 'cancel_requested_at',
  createdAt: 'created_at',
  updatedAt: 'updated_at',
  endedAt: 'ended_at',
};

/** Whole records; conditions follow it. */
export const SELECT_FLOW = selectFrom('flows', COLUMNS);

/** Which flows are meant; what is left out limits nothing. */
export interface FlowFilter {
  readonly statuses?: readonly FlowStatus[] | undefined;
  readonly ownerKey?: string | undefined;
  /** Made at or after this moment, epoch milliseconds. */
  readonly sinceMs?: number | undefined;
  readonly limit: number;
}

/** The table of flows. Callers hold a transaction where they write. */
export interface FlowRows {
  insert(flow: Omit<FlowRecord, 'seq'>): FlowRecord;
  update(flow: FlowRecord): void;
  byId(id: string): FlowRecord | undefined;
  bySeq(seq: number): FlowRecord | undefined;
  /** Up to two, which is enough to know that a beginning is not enough. */
  byPrefix(prefix: string): readonly FlowRecord[];
  latestOf(ownerKey: string): FlowRecord | undefined;
  /** Newest first. */
  list(filter: FlowFilter): readonly FlowRecord[];
  count(filter: Omit<FlowFilter, 'limit'>): number;
  /** All, by state. */
  countsByStatus(): readonly (readonly [status: FlowStatus, count: number])[];
  /** Those that somebody asked to cancel before a moment, that go on and have no task that does. */
  cancelledWithoutTasks(beforeMs: number, limit: number): readonly FlowRecord[];
  /** Deletes flows that ended before a moment, with their tasks. @returns how many of both */
  prune(beforeMs: number, limit: number): { readonly flows: number; readonly tasks: number };
}

/** Prepares the statements of the table of flows. */
export function flowRows(database: Connection): FlowRows {
  const table = recordTable<FlowRecord>(database, 'flows', COLUMNS);
  const found = recordFinder<FlowRecord>(database, 'flows', SELECT_FLOW);
  const bySeq = database.prepare<[number], FlowRecord>(`${SELECT_FLOW} WHERE seq = ?`);
  const latestOf = database.prepare<[string], FlowRecord>(
    `${SELECT_FLOW} WHERE owner_key = ? ORDER BY seq DESC LIMIT 1`,
  );
  return {
    insert: (flow) => ({ seq: table.insert(flow), ...flow }),
    update: table.update,
    byId: found.byId,
    bySeq: (seq) => bySeq.get(seq),
    byPrefix: found.byPrefix,
    latestOf: (ownerKey) => latestOf.get(ownerKey),
    list: (filter) => found.list(condition(filter), filter.limit),
    count: (filter) => found.count(condition(filter)),
    countsByStatus: found.countsByStatus,
    cancelledWithoutTasks: (beforeMs, limit) =>
      database
        .prepare<[number, number], FlowRecord>(
          `${SELECT_FLOW}
           WHERE cancel_requested_at < ? AND ended_at IS NULL AND NOT ${HAS_ACTIVE_TASK} LIMIT ?`,
        )
        .all(beforeMs, limit),
    prune: (beforeMs, limit) => prune(database, beforeMs, limit),
  };
}

const HAS_ACTIVE_TASK = `EXISTS (
  SELECT 1 FROM tasks WHERE tasks.flow_seq = flows.seq AND tasks.status IN ('queued', 'running'))`;

function prune(
  database: Connection,
  beforeMs: number,
  limit: number,
): { readonly flows: number; readonly tasks: number } {
  const seqs = database
    .prepare<[number, number], number>(
      `SELECT seq FROM flows WHERE ended_at < ? AND NOT ${HAS_ACTIVE_TASK} LIMIT ?`,
    )
    .pluck()
    .all(beforeMs, limit);
  const deleteTasks = database.prepare<[number]>('DELETE FROM tasks WHERE flow_seq = ?');
  const deleteFlow = database.prepare<[number]>('DELETE FROM flows WHERE seq = ?');
  let tasks = 0;
  for (const seq of seqs) {
    tasks += deleteTasks.run(seq).changes;
    deleteFlow.run(seq);
  }
  return { flows: seqs.length, tasks };
}

function condition(filter: Omit<FlowFilter, 'limit'>): Where {
  return whereOf([
    equals('status', filter.statuses),
    equals('owner_key', filter.ownerKey),
    atLeast('created_at', filter.sinceMs),
  ]);
}
