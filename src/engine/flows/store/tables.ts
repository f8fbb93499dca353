import { SCHEDULE_FIELDS, type ScheduleRecord } from '../../flow-model/schedule-record.js';
import { PAUSE_FIELDS, type PauseRecord } from '../../flow-model/task-record.js';
import type { AnswerRows, PauseRows, ScheduleRows, Tables } from '../flow-store.js';
import { statisticsRows } from '../statistics.js';
import { flowRows, historyRows } from './flow-table.js';
import { notificationRows } from './notification-table.js';
import {
  assignments,
  columnList,
  places,
  recordTable,
  type StoreSql,
  selectFrom,
  valuesOf,
} from './store-sql.js';
import { type TaskQueue, taskRows } from './task-table.js';

/** What each store does in its own way. */
export interface OwnWays {
  readonly queue: TaskQueue;
  readonly answers: Pick<AnswerRows, 'find' | 'keep'>;
}

/** The tables as one change or one read sees them. */
export function tablesOf(sql: StoreSql, { queue, answers }: OwnWays): Tables {
  return {
    flows: flowRows(sql),
    tasks: taskRows(sql, queue),
    notifications: notificationRows(sql),
    answers: { ...answers, prune: (nowMs, limit) => pruneAnswers(sql, nowMs, limit) },
    statistics: statisticsRows(sql),
    pauses: pauseRows(sql),
    history: historyRows(sql),
    schedules: scheduleRows(sql),
  };
}

function pruneAnswers(sql: StoreSql, nowMs: number, limit: number): Promise<number> {
  return sql.run(
    `DELETE FROM ${sql.schema}answers WHERE (owner_key, action, key) IN (
       SELECT owner_key, action, key FROM ${sql.schema}answers
       WHERE expires_at <= $1 LIMIT $2 ${sql.taken('answers')})`,
    [nowMs, limit],
  );
}

const PAUSES = recordTable('pauses', PAUSE_FIELDS, ['runtime']);

/** The table of paused runtimes. */
function pauseRows(sql: StoreSql): PauseRows {
  const { schema, query, run } = sql;
  return {
    all: () => query<PauseRecord>(`${selectFrom(sql, PAUSES)} ORDER BY runtime`),
    keep: async ({ runtime, reason, pausedAt }) => {
      await run(
        `INSERT INTO ${schema}pauses (runtime, reason, paused_at) VALUES ($1, $2, $3)
         ON CONFLICT (runtime) DO UPDATE SET reason = coalesce(excluded.reason, pauses.reason)`,
        [runtime, reason, pausedAt],
      );
    },
    remove: async (runtime) => {
      await run(`DELETE FROM ${schema}pauses WHERE runtime = $1`, [runtime]);
    },
  };
}

const SCHEDULES = recordTable('schedules', SCHEDULE_FIELDS, ['scheduleId']);
/** The id comes first. */
const { columns: SCHEDULE_COLUMNS } = SCHEDULES;

/** The table of schedules. What a change finds by its id is locked. */
function scheduleRows(sql: StoreSql): ScheduleRows {
  const { schema, query, run } = sql;
  const select = selectFrom(sql, SCHEDULES);
  return {
    all: () => query<ScheduleRecord>(`${select} ORDER BY id`),
    find: async (id) => {
      const text = `${select} WHERE id = $1 ${sql.locked('schedules')}`;
      return (await query<ScheduleRecord>(text, [id]))[0];
    },
    add: async (schedule) => {
      await run(
        `INSERT INTO ${schema}schedules (${columnList(SCHEDULE_COLUMNS)})
         VALUES (${places(SCHEDULE_COLUMNS)}) ON CONFLICT DO NOTHING`,
        valuesOf(schedule, SCHEDULE_COLUMNS),
      );
    },
    update: async (schedule) => {
      await run(
        `UPDATE ${schema}schedules SET ${assignments(SCHEDULE_COLUMNS, 1)} WHERE id = $1`,
        valuesOf(schedule, SCHEDULE_COLUMNS),
      );
    },
  };
}
