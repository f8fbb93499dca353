import type { TaskRecord } from '../task-record.js';
import type { Work } from '../work.js';
import { CANCELLED_ERROR, endTask, writeTask } from './end-task.js';

/**
 * Cancels a task that goes on. One that no worker holds ends at once. The worker of one that runs is
 * told when it reports next; if it never does, the task ends when its lease does.
 */
export function cancelTask(work: Work, task: TaskRecord): TaskRecord {
  const isHeld = task.leaseExpiresAt !== null && task.leaseExpiresAt >= work.nowMs;
  if (!isHeld) return endTask(work, task, { status: 'cancelled', error: CANCELLED_ERROR });
  if (task.cancelRequestedAt !== null) return task;
  const asked: TaskRecord = {
    ...task,
    revision: task.revision + 1,
    cancelRequestedAt: work.nowMs,
  };
  writeTask(work, asked);
  return asked;
}
