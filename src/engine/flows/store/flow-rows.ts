import type { Connection } from '../../sqlite/database.js';
import { FLOW_FIELDS, type FlowRecord, type FlowStatus } from '../flow-record.js';
import { type RecordFilter, recordFinder, recordTable, selectFrom } from './record-table.js';

/** Selects whole records; conditions follow it. */
export const SELECT_FLOW = selectFrom('flows', FLOW_FIELDS);

/** Which flows to list. */
export type FlowFilter = RecordFilter<FlowStatus>;

/** The table of flows. Callers hold a transaction where they write. */
export function flowRows(database: Connection) {
  const table = recordTable<FlowRecord>(database, 'flows', FLOW_FIELDS);
  const finder = recordFinder<FlowRecord, Omit<FlowFilter, 'limit'>>(
    database,
    'flows',
    SELECT_FLOW,
    () => [],
  );
  const bySeq = database.prepare<[number], FlowRecord>(`${SELECT_FLOW} WHERE seq = ?`);
  const latestOf = database.prepare<[string], FlowRecord>(
    `${SELECT_FLOW} WHERE owner_key = ? ORDER BY seq DESC LIMIT 1`,
  );
  const newestOf = database.prepare<[string, number], FlowRecord>(
    `${SELECT_FLOW} WHERE owner_key = ? AND seq < ? ORDER BY seq DESC`,
  );
  return {
    ...table,
    ...finder,
    bySeq: (seq: number) => bySeq.get(seq),
    latestOf: (ownerKey: string) => latestOf.get(ownerKey),
    /** An owner's flows created before one of them, newest first; read one by one. */
    newestOf: (ownerKey: string, beforeSeq = Number.MAX_SAFE_INTEGER) =>
      newestOf.iterate(ownerKey, beforeSeq),
    /** Active flows whose cancellation was requested before a time, and that have no active task. */
    cancelledWithoutTasks: (beforeMs: number, limit: number) =>
      database
        .prepare<[number, number], FlowRecord>(
          `${SELECT_FLOW}
           WHERE cancel_requested_at < ? AND ended_at IS NULL AND NOT ${HAS_ACTIVE_TASK} LIMIT ?`,
        )
        .all(beforeMs, limit),
    /** Deletes flows that ended before a time, with their tasks. @returns how many of each */
    prune: (beforeMs: number, limit: number) => {
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
    },
  };
}

const HAS_ACTIVE_TASK = `EXISTS (
  SELECT 1 FROM tasks WHERE tasks.flow_seq = flows.seq AND tasks.status IN ('queued', 'running'))`;
