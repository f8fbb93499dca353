import { SCHEDULE_FIELDS, type ScheduleRecord } from '../../flow-model/schedule-record.js';
import { PAUSE_FIELDS, type PauseRecord, type TaskRuntime } from '../../flow-model/task-record.js';
import { statisticsRows } from '../statistics.js';
import { flowRows, historyRows } from './flow-table.js';
import { notificationRows } from './notification-table.js';
import {
  assignments,
  columnList,
  placeholders,
  recordTable,
  type StoreSql,
  selectFrom,
  valuesOf,
} from './store-sql.js';
import { type TaskQueue, taskRows } from './task-table.js';

/** The first answer to a request with an idempotency key. */
export interface StoredAnswer {
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

/** Finds and stores the answers for repeated requests. */
export interface AnswerRows {
  /** Undefined if there is none, or it has expired; the change must then store one, and others wait for it. */
  readonly find: (key: AnswerKey, nowMs: number) => Promise<StoredAnswer | undefined>;
  readonly store: (key: AnswerKey, answer: StoredAnswer, expiresAt: number) => Promise<void>;
}

/** The tables of a store. In a change, what is found by its id stays as it is until the transaction ends. */
export type Tables = Readonly<ReturnType<typeof tablesOf>>;

/**
 * The tables as one change or one read sees them. A server creates them for each change: in the literals of
 * tables, what is spread comes last, because V8 makes them twenty times faster then.
 *
 * @param queue as the store gives tasks to workers
 * @param answers as the store finds and stores them
 */
export function tablesOf(sql: StoreSql, queue: TaskQueue, answers: AnswerRows) {
  return {
    flows: flowRows(sql),
    tasks: taskRows(sql, queue),
    notifications: notificationRows(sql),
    answers: {
      ...answers,
      /** @returns how many were deleted */
      prune: (nowMs: number, limit: number) =>
        sql.run(
          `DELETE FROM ${sql.schema}answers WHERE (owner_key, action, key) IN (
             SELECT owner_key, action, key FROM ${sql.schema}answers
             WHERE expires_at <= $1 LIMIT $2 ${sql.forUpdateSkipLocked('answers')})`,
          [nowMs, limit],
        ),
    },
    statistics: statisticsRows(sql),
    pauses: pauseRows(sql),
    history: historyRows(sql),
    schedules: scheduleRows(sql),
  };
}

const PAUSES = recordTable('pauses', PAUSE_FIELDS, ['runtime']);

/** The table of runtimes whose tasks wait. */
function pauseRows(sql: StoreSql) {
  const { schema, query, run } = sql;
  return {
    all: () => query<PauseRecord>(`${selectFrom(sql, PAUSES)} ORDER BY runtime`),
    /** An existing one keeps its time, and its reason unless there is another one. */
    add: async ({ runtime, reason, pausedAt }: PauseRecord) => {
      await run(
        `INSERT INTO ${schema}pauses (runtime, reason, paused_at) VALUES ($1, $2, $3)
         ON CONFLICT (runtime) DO UPDATE SET reason = coalesce(excluded.reason, pauses.reason)`,
        [runtime, reason, pausedAt],
      );
    },
    remove: async (runtime: TaskRuntime) => {
      await run(`DELETE FROM ${schema}pauses WHERE runtime = $1`, [runtime]);
    },
  };
}

const SCHEDULES = recordTable('schedules', SCHEDULE_FIELDS, ['scheduleId']);
/** The id comes first. */
const { columns: SCHEDULE_COLUMNS } = SCHEDULES;

/** The table of schedules that have been run or waited for. What a change finds by its id is locked. */
function scheduleRows(sql: StoreSql) {
  const { schema, query, run } = sql;
  const select = selectFrom(sql, SCHEDULES);
  return {
    all: () => query<ScheduleRecord>(`${select} ORDER BY id`),
    find: async (id: string) => {
      const text = `${select} WHERE id = $1 ${sql.forUpdate('schedules')}`;
      return (await query<ScheduleRecord>(text, [id]))[0];
    },
    /** Does nothing if another change has added the schedule meanwhile. */
    add: async (schedule: ScheduleRecord) => {
      await run(
        `INSERT INTO ${schema}schedules (${columnList(SCHEDULE_COLUMNS)})
         VALUES (${placeholders(SCHEDULE_COLUMNS)}) ON CONFLICT DO NOTHING`,
        valuesOf(schedule, SCHEDULE_COLUMNS),
      );
    },
    update: async (schedule: ScheduleRecord) => {
      await run(
        `UPDATE ${schema}schedules SET ${assignments(SCHEDULE_COLUMNS, 1)} WHERE id = $1`,
        valuesOf(schedule, SCHEDULE_COLUMNS),
      );
    },
  };
}
