import { columnsOf } from '../../../flow-model/fields.js';
import { FLOW_FIELDS, type FlowRecord } from '../../../flow-model/flow-record.js';
import {
  HISTORY_FIELDS,
  type HistoryEntry,
  type NewHistoryEntry,
} from '../../../flow-model/history-record.js';
import type { Connection } from '../../../sqlite/database.js';
import type {
  AnswerKey,
  AnswerRows,
  FlowFilter,
  FlowRows,
  HistoryRows,
  KeptAnswer,
  StatisticsRows,
} from '../../flow-store.js';
import { FIRST_KEPT, MOST_KEPT } from '../../history.js';
import { type EndedRecords, type FlowStatistics, statisticsSql } from '../../statistics.js';
import { flowTroubles } from '../troubles.js';
import { equals, recordFinder, recordTable, selectFrom } from './record-table.js';

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
          `${SELECT_FLOW} WHERE ${flowTroubles('sqlite', '@beforeMs')[trouble]} LIMIT @limit`,
        )
        .all({ beforeMs, limit }),
  };
}

const HAS_ACTIVE_TASK = `EXISTS (
  SELECT 1 FROM tasks WHERE tasks.flow_seq = flows.seq AND tasks.status IN ('queued', 'running'))`;

/** The table of what happened to flows. Callers hold a transaction where they write. */
export function historyRows(database: Connection) {
  const own = columnsOf(HISTORY_FIELDS).filter(([name]) => name !== 'n');
  const insert = database.prepare<[NewHistoryEntry]>(
    `INSERT INTO history (n, ${own.map(([, column]) => column).join(', ')})
     VALUES ((SELECT coalesce(max(n), 0) + 1 FROM history WHERE flow_seq = @flowSeq),
       ${own.map(([name]) => `@${name}`).join(', ')})`,
  );
  const ofFlow = database.prepare<[number], HistoryEntry>(
    `${selectFrom('history', HISTORY_FIELDS)} WHERE flow_seq = ? ORDER BY n`,
  );
  const rows: HistoryRows = {
    ofFlow: async (flowSeq) => ofFlow.all(flowSeq),
    trim: async (sinceMs, limit) => {
      const long = database
        .prepare<[number, number, number], number>(
          `SELECT flow_seq FROM history WHERE flow_seq IN (
             SELECT seq FROM flows WHERE status IN ('queued', 'running', 'waiting', 'blocked')
             UNION ALL SELECT seq FROM flows WHERE ended_at >= ?)
           GROUP BY flow_seq HAVING count(*) > ? LIMIT ?`,
        )
        .pluck()
        .all(sinceMs, MOST_KEPT, limit);
      const trim = database.prepare<[{ readonly seq: number }]>(
        `DELETE FROM history WHERE flow_seq = @seq
         AND n >= (SELECT n FROM history WHERE flow_seq = @seq
           ORDER BY n LIMIT 1 OFFSET ${FIRST_KEPT})
         AND n < (SELECT n FROM history WHERE flow_seq = @seq
           ORDER BY n DESC LIMIT 1 OFFSET ${MOST_KEPT - FIRST_KEPT - 1})`,
      );
      for (const seq of long) trim.run({ seq });
      return long.length;
    },
  };
  return {
    rows,
    append: (entries: readonly NewHistoryEntry[]): void => {
      for (const entry of entries) insert.run(entry);
    },
  };
}

/** What metrics count. */
export function statisticsRows(database: Connection): StatisticsRows {
  const sql = statisticsSql('', ['@fromMs', '@toMs']);
  const all = <Row>(text: string, values: object = {}): readonly Row[] =>
    database.prepare<[object], Row>(text).all(values);
  return {
    now: async () => ({
      flows: all<FlowStatistics['flows'][number]>(sql.flows),
      queued: all<FlowStatistics['queued'][number]>(sql.queued),
      running: all<FlowStatistics['running'][number]>(sql.running),
      notifications: all<FlowStatistics['notifications'][number]>(sql.notifications),
    }),
    ended: async (period) => ({
      flows: all<EndedRecords['flows'][number]>(sql.endedFlows, period),
      tasks: all<EndedRecords['tasks'][number]>(sql.endedTasks, period),
      notifications: all<EndedRecords['notifications'][number]>(sql.settled, period),
    }),
  };
}

/** The table of answers for repeated requests. Callers hold a transaction where they write. */
export function answerRows(database: Connection): AnswerRows {
  const find = database.prepare<[AnswerKey & { readonly nowMs: number }], KeptAnswer>(
    `SELECT body_hash AS bodyHash, answer FROM answers
     WHERE owner_key = @ownerKey AND action = @action AND key = @key AND expires_at > @nowMs`,
  );
  const keep = database.prepare<[AnswerKey & KeptAnswer & { readonly expiresAt: number }]>(
    `INSERT OR REPLACE INTO answers (owner_key, action, key, body_hash, answer, expires_at)
     VALUES (@ownerKey, @action, @key, @bodyHash, @answer, @expiresAt)`,
  );
  const prune = database.prepare<[number, number]>(
    `DELETE FROM answers WHERE (owner_key, action, key) IN (
       SELECT owner_key, action, key FROM answers WHERE expires_at <= ? LIMIT ?)`,
  );
  return {
    find: async (key, nowMs) => find.get({ ...key, nowMs }),
    keep: async (key, answer, expiresAt) => {
      keep.run({ ...key, ...answer, expiresAt });
    },
    prune: async (nowMs, limit) => prune.run(nowMs, limit).changes,
  };
}
