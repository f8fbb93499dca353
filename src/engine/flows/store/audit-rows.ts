import type { Connection } from '../../sqlite/database.js';
import type { FlowRecord } from '../flow-record.js';
import type { TaskRecord } from '../task-record.js';
import { SELECT_FLOW } from './flow-rows.js';
import { SELECT_TASK } from './task-rows.js';

/** What looks wrong in the tables. Moments are epoch milliseconds; at most `MOST_FOUND` of each. */
export interface AuditRows {
  /** Active, nothing happened since, and no task of it goes on. */
  staleFlows(beforeMs: number): readonly FlowRecord[];
  /** Active, and somebody asked to cancel before. */
  stuckCancels(beforeMs: number): readonly FlowRecord[];
  /** Active and not queued, nothing happened since, without any task and any word of what it waits for. */
  flowsWithoutTasks(beforeMs: number): readonly FlowRecord[];
  /** Blocked by a task that is not there. */
  flowsBlockedByNothing(): readonly FlowRecord[];
  flowsOutOfTime(): readonly FlowRecord[];
  /** Nobody could be told of it in the last day. */
  undeliveredFlows(): readonly FlowRecord[];
  staleTasks(status: 'queued' | 'running', beforeMs: number): readonly TaskRecord[];
  lostTasks(): readonly TaskRecord[];
  undeliveredTasks(): readonly TaskRecord[];
  /** Ended, and nothing says when they may go. */
  tasksToKeepForever(): readonly TaskRecord[];
  tasksOutOfTime(): readonly TaskRecord[];
}

/** More of one kind says nothing more. */
const MOST_FOUND = 500;

const ACTIVE = `status IN ('queued', 'running', 'waiting', 'blocked')`;

/** Prepares nothing: each of the queries is asked once in a while. */
export function auditRows(database: Connection): AuditRows {
  const flows = (condition: string, ...values: readonly number[]): readonly FlowRecord[] =>
    database
      .prepare<unknown[], FlowRecord>(`${SELECT_FLOW} WHERE ${condition} LIMIT ${MOST_FOUND}`)
      .all(...values);
  const tasks = (
    condition: string,
    ...values: readonly (number | string)[]
  ): readonly TaskRecord[] =>
    database
      .prepare<unknown[], TaskRecord>(`${SELECT_TASK} WHERE ${condition} LIMIT ${MOST_FOUND}`)
      .all(...values);
  return {
    staleFlows: (beforeMs) =>
      flows(
        `status IN ('running', 'waiting', 'blocked') AND updated_at < ?
         AND NOT EXISTS (SELECT 1 FROM tasks
           WHERE flow_seq = flows.seq AND tasks.status IN ('queued', 'running'))`,
        beforeMs,
      ),
    stuckCancels: (beforeMs) => flows(`cancel_requested_at < ? AND ended_at IS NULL`, beforeMs),
    flowsWithoutTasks: (beforeMs) =>
      flows(
        `status IN ('running', 'waiting', 'blocked') AND updated_at < ? AND wait_json IS NULL
         AND blocked_task_id IS NULL AND blocked_summary IS NULL
         AND NOT EXISTS (SELECT 1 FROM tasks WHERE flow_seq = flows.seq)`,
        beforeMs,
      ),
    flowsBlockedByNothing: () =>
      flows(
        `${ACTIVE} AND blocked_task_id IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM tasks
           WHERE flow_seq = flows.seq AND tasks.id = flows.blocked_task_id)`,
      ),
    flowsOutOfTime: () =>
      flows('updated_at < created_at OR ended_at < created_at OR cancel_requested_at < created_at'),
    undeliveredFlows: () =>
      flows(
        `id IN (SELECT flow_id FROM notifications WHERE outcome = 'failed' AND task_id IS NULL)`,
      ),
    staleTasks: (status, beforeMs) =>
      tasks(
        `status = ?
         AND max(created_at, coalesce(last_event_at, 0), coalesce(next_run_at, 0)) < ?`,
        status,
        beforeMs,
      ),
    lostTasks: () => tasks(`status = 'lost'`),
    undeliveredTasks: () => tasks(`delivery_status = 'failed' AND notify_policy <> 'silent'`),
    tasksToKeepForever: () =>
      tasks(
        `status IN ('succeeded', 'failed', 'timed_out', 'cancelled', 'lost')
         AND cleanup_after IS NULL`,
      ),
    tasksOutOfTime: () => tasks('started_at < created_at OR ended_at < started_at'),
  };
}
