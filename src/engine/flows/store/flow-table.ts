import { FLOW_FIELDS, type FlowRecord, type FlowStatus } from '../../flow-model/flow-record.js';
import { HISTORY_FIELDS, type HistoryEntry } from '../../flow-model/history-record.js';
import { flowOrTaskRows, type RecordFilter } from './shared-rows.js';
import {
  type Dialect,
  equals,
  type Lookup,
  lookup,
  recordTable,
  type StoreSql,
  selectFrom,
} from './store-sql.js';

const FLOWS = recordTable('flows', FLOW_FIELDS, ['flowId']);
const select = (dialect: Dialect): string => selectFrom(dialect, FLOWS);

const BY_ID = lookup(FLOWS, 'flows.id', ({ flowId }: FlowRecord): string => flowId);
const BY_SEQ: Lookup<number, FlowRecord> = {
  sql: (dialect) => `${select(dialect)} WHERE ${dialect.isKey('flows.seq')}`,
  keyOf: ({ seq }) => seq,
};

/** Which flows to list. */
export interface FlowFilter extends RecordFilter<FlowStatus> {
  /** Created by this webhook route. */
  readonly route?: string | undefined;
}

/** The table of flows. What a change finds by its id is locked until the end of the transaction. */
export function flowRows(sql: StoreSql) {
  const { schema, query, run, find } = sql;
  const hasActiveTask = activeTaskIn(schema);
  const byId = async (id: string) => {
    await sql.takeTurn('flow', id);
    return (await find(BY_ID, id))[0];
  };
  const common = flowOrTaskRows<FlowRecord, FlowFilter>(sql, {
    kind: 'flow',
    table: FLOWS,
    byId,
    idOf: ({ flowId }) => flowId,
    conditionsOf: ({ route }) => [equals(sql, 'route_id', route)],
  });
  return {
    /** In a change, its flow must have been found by its id, or through one of its tasks. */
    bySeq: async (seq: number) => (await find(BY_SEQ, seq))[0],
    /** Active flows whose cancellation was requested before a time or after another, and that have no active task. */
    cancelledWithoutTasks: (beforeMs: number, afterMs: number, limit: number) =>
      query<FlowRecord>(
        `${select(sql)} WHERE (cancel_requested_at < $1 OR cancel_requested_at > $2)
           AND cancel_requested_at IS NOT NULL AND ended_at IS NULL AND NOT ${hasActiveTask}
           LIMIT $3 ${sql.forUpdateSkipLocked('flows')}`,
        [beforeMs, afterMs, limit],
      ),
    /** Deletes flows that ended before a time, with their tasks. @returns how many of each */
    prune: async (beforeMs: number, limit: number) => {
      const expired = await query<{ seq: number }>(
        `SELECT seq FROM ${schema}flows WHERE ended_at < $1 AND NOT ${hasActiveTask}
         LIMIT $2 ${sql.forUpdateSkipLocked('flows')}`,
        [beforeMs, limit],
      );
      const seqs = [expired.map(({ seq }) => seq)];
      const remove = (table: string, column: string) =>
        run(`DELETE FROM ${schema}${table} WHERE ${sql.isOneOf(column, '$1')}`, seqs);
      const tasks = await remove('tasks', 'flow_seq');
      await remove('history', 'flow_seq');
      return { flows: await remove('flows', 'seq'), tasks };
    },
    ...common,
  };
}

/** Whether a flow has an active task, in SQL. */
export function activeTaskIn(schema: Dialect['schema']): string {
  return `EXISTS (SELECT 1 FROM ${schema}tasks
    WHERE tasks.flow_seq = flows.seq AND tasks.status IN ('queued', 'running'))`;
}

export const HISTORY = recordTable('history', HISTORY_FIELDS, []);

/** The most entries of a flow; of more, the first few and the newest are kept. */
export const MOST_KEPT = 1000;
export const FIRST_KEPT = 50;

/** How many entries the history of a flow has. */
export interface HistoryLength {
  readonly seq: number;
  readonly endedAt: number | null;
  readonly entries: number;
}

/** The table of what happened to flows. Stores add the entries that a transaction has collected. */
export function historyRows(sql: StoreSql) {
  const { schema, query, run } = sql;
  const lengths = `SELECT seq, ended_at AS "endedAt", (
    SELECT count(*) FROM ${schema}history WHERE flow_seq = flows.seq) AS entries FROM ${schema}flows`;
  return {
    /** Oldest first. */
    ofFlow: (flowSeq: number) =>
      query<HistoryEntry>(`${selectFrom(sql, HISTORY)} WHERE flow_seq = $1 ORDER BY n`, [flowSeq]),
    /** How long the histories of active flows of a status are: a page of them, by `seq`. */
    lengthsOf: (status: FlowStatus, afterSeq: number, limit: number) =>
      query<HistoryLength>(
        `${lengths} WHERE status = $1 AND ended_at IS NULL AND seq > $2 ORDER BY seq LIMIT $3`,
        [status, afterSeq, limit],
      ),
    /** The same of flows that have ended, by when. */
    lengthsOfEnded: (afterMs: number, afterSeq: number, limit: number) =>
      query<HistoryLength>(
        `${lengths} WHERE ended_at IS NOT NULL AND (ended_at, seq) > ($1, $2)
         ORDER BY ended_at, seq LIMIT $3`,
        [afterMs, afterSeq, limit],
      ),
    /** Deletes the middle of a history that is too long. */
    trim: (flowSeq: number) =>
      run(
        `DELETE FROM ${schema}history WHERE flow_seq = $1
           AND n >= (SELECT n FROM ${schema}history WHERE flow_seq = $1
             ORDER BY n LIMIT 1 OFFSET ${FIRST_KEPT})
           AND n < (SELECT n FROM ${schema}history WHERE flow_seq = $1
             ORDER BY n DESC LIMIT 1 OFFSET ${MOST_KEPT - FIRST_KEPT - 1})`,
        [flowSeq],
      ),
  };
}
