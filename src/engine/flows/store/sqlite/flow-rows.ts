import type { Connection } from '../../../sqlite/database.js';
import { FLOW_FIELDS, type FlowRecord } from '../../flow-record.js';
import type { FlowFilter, FlowRows } from '../../flow-store.js';
import { flowTroubles } from '../troubles.js';
import { equals, recordFinder, recordTable, selectFrom, TABLES } from './record-table.js';

/** Selects whole records; conditions follow it. */
const SELECT_FLOW = selectFrom('flows', FLOW_FIELDS);

/** The table of flows. Callers hold a transaction where they write. */
export function flowRows(database: Connection): FlowRows {
  const table = recordTable<FlowRecord>(database, 'flows', FLOW_FIELDS);
  const finder = recordFinder<FlowRecord, FlowFilter>(
    database,
    'flows',
    SELECT_FLOW,
    ({ route }) => [equals('route_id', route)],
  );
  const bySeq = database.prepare<[number], FlowRecord>(`${SELECT_FLOW} WHERE seq = ?`);
  const latestOf = database.prepare<[string], FlowRecord>(
    `${SELECT_FLOW} WHERE owner_key = ? ORDER BY seq DESC LIMIT 1`,
  );
  const newestOf = database.prepare<[string, number, number], FlowRecord>(
    `${SELECT_FLOW} WHERE owner_key = ? AND seq < ? ORDER BY seq DESC LIMIT ?`,
  );
  return {
    ...table,
    ...finder,
    bySeq: async (seq) => bySeq.get(seq),
    latestOf: async (ownerKey) => latestOf.get(ownerKey),
    newestOf: async (ownerKey, beforeSeq, limit) => newestOf.all(ownerKey, beforeSeq, limit),
    cancelledWithoutTasks: async (beforeMs, limit) =>
      database
        .prepare<[number, number], FlowRecord>(
          `${SELECT_FLOW}
           WHERE cancel_requested_at < ? AND ended_at IS NULL AND NOT ${HAS_ACTIVE_TASK} LIMIT ?`,
        )
        .all(beforeMs, limit),
    prune: async (beforeMs, limit) => {
      const seqs = database
        .prepare<[number, number], number>(
          `SELECT seq FROM flows WHERE ended_at < ? AND NOT ${HAS_ACTIVE_TASK} LIMIT ?`,
        )
        .pluck()
        .all(beforeMs, limit);
      const deleteTasks = database.prepare<[number]>('DELETE FROM tasks WHERE flow_seq = ?');
      const deleteHistory = database.prepare<[number]>('DELETE FROM history WHERE flow_seq = ?');
      const deleteFlow = database.prepare<[number]>('DELETE FROM flows WHERE seq = ?');
      let tasks = 0;
      for (const seq of seqs) {
        tasks += deleteTasks.run(seq).changes;
        deleteHistory.run(seq);
        deleteFlow.run(seq);
      }
      return { flows: seqs.length, tasks };
    },
    troubled: async (trouble, beforeMs, limit) =>
      database
        .prepare<[object], FlowRecord>(
          `${SELECT_FLOW} WHERE ${flowTroubles(TABLES, '@beforeMs')[trouble]} LIMIT @limit`,
        )
        .all({ beforeMs, limit }),
  };
}

const HAS_ACTIVE_TASK = `EXISTS (
  SELECT 1 FROM tasks WHERE tasks.flow_seq = flows.seq AND tasks.status IN ('queued', 'running'))`;
