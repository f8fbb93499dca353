import type { AuditRows } from '../store/audit-rows.js';
import type { TaskRecord } from '../task-record.js';
import { bySeverity } from './audit-flows.js';
import type { TaskFinding, TaskFindingCode } from './finding.js';

const STALE_QUEUED_MS = 10 * 60_000;
const STALE_RUNNING_MS = 30 * 60_000;

/** Tasks that are stuck, lost or do not add up; errors first, then the oldest. */
export function auditTasks(rows: AuditRows, nowMs: number): readonly TaskFinding[] {
  const finding = (
    task: TaskRecord,
    code: TaskFindingCode,
    severity: TaskFinding['severity'],
    detail: string,
  ): TaskFinding => {
    const sinceMs = task.lastEventAt ?? task.createdAt;
    const ageMs = Math.max(0, nowMs - sinceMs);
    return { kind: 'task', severity, code, detail, ageMs, status: task.status, task };
  };
  const findings = [
    ...rows
      .staleTasks('queued', nowMs - STALE_QUEUED_MS)
      .map((task) => finding(task, 'stale_queued', 'warn', 'no worker has taken it')),
    ...rows
      .staleTasks('running', nowMs - STALE_RUNNING_MS)
      .map((task) => finding(task, 'stale_running', 'error', 'its worker says nothing')),
    ...rows.lostTasks().map((task) => {
      const isOverdue = task.cleanupAfter !== null && task.cleanupAfter < nowMs;
      return finding(task, 'lost', isOverdue ? 'error' : 'warn', task.error ?? 'it was lost');
    }),
    ...rows
      .undeliveredTasks()
      .map((task) => finding(task, 'delivery_failed', 'warn', 'nobody could be told of its end')),
    ...rows
      .tasksToKeepForever()
      .map((task) => finding(task, 'missing_cleanup', 'warn', 'nothing says when it may go')),
    ...rows
      .tasksOutOfTime()
      .map((task) =>
        finding(task, 'inconsistent_timestamps', 'warn', 'its times are not in order'),
      ),
  ];
  return findings.sort(bySeverity);
}
