import { columnsOf } from '../../../flow-model/fields.js';
import { SCHEDULE_FIELDS, type ScheduleRecord } from '../../../flow-model/schedule-record.js';
import type { PauseRecord, TaskCount } from '../../../flow-model/task-record.js';
import {
  PAUSE_FIELDS,
  TASK_FIELDS,
  TASK_RUNTIMES,
  type TaskRecord,
  type TaskRuntime,
} from '../../../flow-model/task-record.js';
import type { Connection } from '../../../sqlite/database.js';
import type { PauseRows, ScheduleRows, TaskFilter, TaskRows } from '../../flow-store.js';
import { taskTroubles } from '../troubles.js';
import { equals, ID_IS, recordFinder, recordTable, selectFrom } from './record-table.js';

/** Selects whole records; conditions follow it. */
const SELECT_TASK = selectFrom('tasks', TASK_FIELDS);

/** The table of tasks. Callers hold a transaction where they write. */
export function taskRows(database: Connection): TaskRows {
  const table = recordTable<TaskRecord>(database, 'tasks', TASK_FIELDS);
  const finder = recordFinder<TaskRecord, TaskFilter>(
    database,
    'tasks',
    SELECT_TASK,
    ({ runtimes }) => [equals('runtime', runtimes)],
  );
  const ofRun = database.prepare<[string, number], TaskRecord>(
    `${SELECT_TASK} WHERE run_id = ? AND flow_seq = ?`,
  );
  const ofFlow = database.prepare<[number], TaskRecord>(
    `${SELECT_TASK} WHERE flow_seq = ? ORDER BY seq`,
  );
  const newestOf = database.prepare<[string, number, number], TaskRecord>(
    `${SELECT_TASK} WHERE owner_key = ? AND seq < ? ORDER BY seq DESC LIMIT ?`,
  );
  const newestOfFlow = database.prepare<[number, string, number, number], TaskRecord>(
    `${SELECT_TASK} WHERE flow_seq = ? AND owner_key = ? AND seq < ? ORDER BY seq DESC LIMIT ?`,
  );
  const activeOf = database
    .prepare<[number], number>(
      `SELECT count(*) FROM tasks WHERE flow_seq = ? AND status IN ('queued', 'running')`,
    )
    .pluck();
  const countsOf = database.prepare<[number], TaskCount>(
    `SELECT status, runtime, count(*) AS count FROM tasks
     WHERE flow_seq = ? GROUP BY status, runtime`,
  );
  const queued = database.prepare<
    [{ runtime: TaskRuntime; nowMs: number; agentId: string | null }],
    TaskRecord
  >(
    `${SELECT_TASK} WHERE status = 'queued' AND runtime = @runtime
     AND (next_run_at IS NULL OR next_run_at <= @nowMs)
     AND (@agentId IS NULL OR agent_id = @agentId)
     ORDER BY seq LIMIT 1`,
  );
  // Few claims find any: they are left out here, so that no claim reads a long queue that waits.
  const paused = database.prepare<[], TaskRuntime>('SELECT runtime FROM pauses').pluck();
  const expired = database.prepare<
    [{ nowMs: number; jumpedAtMs: number; jumpedByMs: number; limit: number }],
    TaskRecord
  >(
    `${SELECT_TASK} WHERE lease_expires_at < @nowMs
     AND (last_event_at >= @jumpedAtMs OR lease_expires_at < @nowMs - @jumpedByMs)
     ORDER BY lease_expires_at LIMIT @limit`,
  );
  const ownerOf = database
    .prepare<[{ readonly id: string }], string>(`SELECT owner_key FROM tasks WHERE ${ID_IS}`)
    .pluck();
  return {
    ...table,
    ...finder,
    ownerOf: async (id) => ownerOf.get({ id }),
    ofRun: async (flowSeq, runId) => ofRun.get(runId, flowSeq),
    ofFlow: async (flowSeq) => ofFlow.all(flowSeq),
    newestOf: async (ownerKey, flowSeq, beforeSeq, limit) =>
      flowSeq === undefined
        ? newestOf.all(ownerKey, beforeSeq, limit)
        : newestOfFlow.all(flowSeq, ownerKey, beforeSeq, limit),
    activeOf: async (flowSeq) => activeOf.get(flowSeq) ?? 0,
    countsOf: async (flowSeq) => countsOf.all(flowSeq),
    nextQueued: async (nowMs, { runtimes = TASK_RUNTIMES, agentId }) => {
      const waiting = paused.all();
      return runtimes
        .filter((runtime) => !waiting.includes(runtime))
        .flatMap((runtime) => queued.get({ runtime, nowMs, agentId: agentId ?? null }) ?? [])
        .sort((a, b) => a.seq - b.seq)[0];
    },
    nextDueAt: async () => {
      const times = database
        .prepare<[], number | null>(
          `SELECT min(next_run_at) FROM tasks
             WHERE status = 'queued' AND runtime NOT IN (SELECT runtime FROM pauses)
           UNION ALL SELECT min(lease_expires_at) FROM tasks WHERE lease_expires_at IS NOT NULL`,
        )
        .pluck()
        .all()
        .filter((time) => time !== null);
      return times.length === 0 ? undefined : Math.min(...times);
    },
    expired: async ({ nowMs, jump }, limit) => {
      const { atMs = 0, byMs = 0 } = jump ?? {};
      return expired.all({ nowMs, jumpedAtMs: atMs, jumpedByMs: byMs, limit });
    },
    stampCleanup: async (retentionMs, limit) =>
      database
        .prepare<[number, number]>(
          `UPDATE tasks SET cleanup_after = ended_at + ?, revision = revision + 1
           WHERE seq IN (SELECT seq FROM tasks
             WHERE status IN ('succeeded', 'failed', 'timed_out', 'cancelled', 'lost')
             AND cleanup_after IS NULL LIMIT ?)`,
        )
        .run(retentionMs, limit).changes,
    prune: async (nowMs, limit) =>
      database
        .prepare<[number, number]>(
          `DELETE FROM tasks WHERE seq IN (SELECT seq FROM tasks
             WHERE cleanup_after < ? AND NOT EXISTS (SELECT 1 FROM flows
               WHERE flows.seq = flow_seq AND ended_at IS NULL AND blocked_task_id = tasks.id)
             LIMIT ?)`,
        )
        .run(nowMs, limit).changes,
    troubled: async (trouble, beforeMs, limit) =>
      database
        .prepare<[object], TaskRecord>(
          `${SELECT_TASK} WHERE ${taskTroubles('sqlite', '@beforeMs')[trouble]} LIMIT @limit`,
        )
        .all({ beforeMs, limit }),
  };
}

/** The table of paused runtimes. Callers hold a transaction where they write. */
export function pauseRows(database: Connection): PauseRows {
  const all = database.prepare<[], PauseRecord>(
    `${selectFrom('pauses', PAUSE_FIELDS)} ORDER BY runtime`,
  );
  const keep = database.prepare<[PauseRecord]>(
    `INSERT INTO pauses (runtime, reason, paused_at) VALUES (@runtime, @reason, @pausedAt)
     ON CONFLICT (runtime) DO UPDATE SET reason = coalesce(excluded.reason, reason)`,
  );
  const remove = database.prepare<[string]>('DELETE FROM pauses WHERE runtime = ?');
  return {
    all: async () => all.all(),
    keep: async (pause) => {
      keep.run(pause);
    },
    remove: async (runtime) => {
      remove.run(runtime);
    },
  };
}

const SELECT_SCHEDULE = selectFrom('schedules', SCHEDULE_FIELDS);

/** The table of schedules. Callers hold a transaction where they write. */
export function scheduleRows(database: Connection): ScheduleRows {
  const columns = columnsOf(SCHEDULE_FIELDS);
  const all = database.prepare<[], ScheduleRecord>(`${SELECT_SCHEDULE} ORDER BY id`);
  const find = database.prepare<[string], ScheduleRecord>(`${SELECT_SCHEDULE} WHERE id = ?`);
  const add = database.prepare<[ScheduleRecord]>(
    `INSERT INTO schedules (${columns.map(([, column]) => column).join(', ')})
     VALUES (${columns.map(([name]) => `@${name}`).join(', ')}) ON CONFLICT DO NOTHING`,
  );
  const update = database.prepare<[ScheduleRecord]>(
    `UPDATE schedules SET ${columns.map(([name, column]) => `${column} = @${name}`).join(', ')}
     WHERE id = @scheduleId`,
  );
  return {
    all: async () => all.all(),
    find: async (id) => find.get(id),
    add: async (schedule) => {
      add.run(schedule);
    },
    update: async (schedule) => {
      update.run(schedule);
    },
  };
}
