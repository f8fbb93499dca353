import type { Dialect } from './store-sql.js';

/** What can be wrong with a flow. */
export type FlowTrouble = keyof ReturnType<typeof flowTroubles>;

/** What can be wrong with a task. */
export type TaskTrouble = keyof ReturnType<typeof taskTroubles>;

/**
 * The SQL condition that finds the flows something is wrong with, in the words of both stores.
 *
 * @param before SQL for the time before which something is too long ago
 */
export function flowTroubles({ schema }: Dialect, before: string) {
  const tasks = `${schema}tasks`;
  const stale = (status: string): string =>
    `status = '${status}' AND updated_at < ${before} AND NOT EXISTS (SELECT 1 FROM ${tasks}
       WHERE flow_seq = flows.seq AND tasks.status IN ('queued', 'running'))`;
  return {
    stale_running: stale('running'),
    stale_waiting: stale('waiting'),
    stale_blocked: stale('blocked'),
    cancel_stuck: `cancel_requested_at < ${before} AND ended_at IS NULL`,
    missing_linked_tasks: `status IN ('running', 'waiting', 'blocked') AND updated_at < ${before}
      AND wait_json IS NULL AND blocked_task_id IS NULL AND blocked_summary IS NULL
      AND NOT EXISTS (SELECT 1 FROM ${tasks} WHERE flow_seq = flows.seq)`,
    blocked_task_missing: `status IN ('queued', 'running', 'waiting', 'blocked')
      AND blocked_task_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM ${tasks}
        WHERE flow_seq = flows.seq AND tasks.id = flows.blocked_task_id)`,
    delivery_failed: `id IN (SELECT flow_id FROM ${schema}notifications
      WHERE outcome = 'failed' AND task_id IS NULL)`,
    inconsistent_timestamps:
      '(updated_at < created_at OR ended_at < created_at OR cancel_requested_at < created_at)',
  };
}

/** The same for tasks. */
export function taskTroubles({ schema, greatest }: Dialect, before: string) {
  const stale = (status: string): string =>
    `status = '${status}'
     AND ${greatest}(created_at, coalesce(last_event_at, 0), coalesce(next_run_at, 0)) < ${before}`;
  return {
    stale_queued: `${stale('queued')} AND runtime NOT IN (SELECT runtime FROM ${schema}pauses)`,
    stale_running: stale('running'),
    lost: `status = 'lost'`,
    delivery_failed: `delivery_status = 'failed' AND notify_policy <> 'silent'`,
    missing_cleanup: `status IN ('succeeded', 'failed', 'timed_out', 'cancelled', 'lost')
      AND cleanup_after IS NULL`,
    inconsistent_timestamps: '(started_at < created_at OR ended_at < started_at)',
  };
}
