import type { FlowRecord } from '../flow-record.js';
import type { AuditRows } from '../store/audit-rows.js';
import { CANCEL_GRACE_MS } from '../sweep.js';
import type { FlowFinding, FlowFindingCode } from './finding.js';

const STALE_MS = 30 * 60_000;

const STALE: Readonly<Record<string, FlowFindingCode>> = {
  running: 'stale_running',
  waiting: 'stale_waiting',
  blocked: 'stale_blocked',
};

/** Flows that are stuck or do not add up; errors first, then the oldest. */
export function auditFlows(rows: AuditRows, nowMs: number): readonly FlowFinding[] {
  const finding = (
    flow: FlowRecord,
    code: FlowFindingCode,
    severity: FlowFinding['severity'],
    sinceMs: number,
    detail: string,
  ): FlowFinding => {
    const ageMs = Math.max(0, nowMs - sinceMs);
    return { kind: 'flow', severity, code, detail, ageMs, status: flow.status, flow };
  };
  const severityOf = (flow: FlowRecord) => (flow.status === 'running' ? 'error' : 'warn');
  const findings = [
    ...rows.staleFlows(nowMs - STALE_MS).map((flow) => {
      const code = STALE[flow.status] ?? 'stale_running';
      const detail = `${flow.status}, and nothing has happened`;
      return finding(flow, code, severityOf(flow), flow.updatedAt, detail);
    }),
    ...rows.stuckCancels(nowMs - CANCEL_GRACE_MS).map((flow) => {
      const since = flow.cancelRequestedAt ?? flow.updatedAt;
      return finding(flow, 'cancel_stuck', 'warn', since, 'to be cancelled, and has not ended');
    }),
    ...rows.flowsWithoutTasks(nowMs - STALE_MS).map((flow) => {
      const detail = `${flow.status} without a task and without anything to wait for`;
      return finding(flow, 'missing_linked_tasks', severityOf(flow), flow.updatedAt, detail);
    }),
    ...rows.flowsBlockedByNothing().map((flow) => {
      const detail = `blocked by task ${flow.blockedTaskId ?? ''}, which is not there`;
      return finding(flow, 'blocked_task_missing', 'warn', flow.updatedAt, detail);
    }),
    ...rows.undeliveredFlows().map((flow) => {
      const detail = 'nobody could be told of it';
      return finding(flow, 'delivery_failed', 'warn', flow.updatedAt, detail);
    }),
    ...rows.flowsOutOfTime().map((flow) => {
      const detail = 'its times are not in order';
      return finding(flow, 'inconsistent_timestamps', 'warn', flow.updatedAt, detail);
    }),
  ];
  return findings.sort(bySeverity);
}

/** Errors first, then the oldest. */
export function bySeverity(
  a: Pick<FlowFinding, 'ageMs' | 'severity'>,
  b: Pick<FlowFinding, 'ageMs' | 'severity'>,
): number {
  if (a.severity !== b.severity) return a.severity === 'error' ? -1 : 1;
  return b.ageMs - a.ageMs;
}
