import type { FlowId } from './ids.js';

/** The states of a flow that goes on. */
export const ACTIVE_FLOW_STATUSES = ['queued', 'running', 'waiting', 'blocked'] as const;
/** The states of a flow that has ended, for good. */
export const ENDED_FLOW_STATUSES = ['succeeded', 'failed', 'cancelled', 'lost'] as const;
/** Every state of a flow. */
export const FLOW_STATUSES = [...ACTIVE_FLOW_STATUSES, ...ENDED_FLOW_STATUSES] as const;

/** A state of a flow that goes on. */
export type ActiveFlowStatus = (typeof ACTIVE_FLOW_STATUSES)[number];
/** A state of a flow that has ended. */
export type EndedFlowStatus = (typeof ENDED_FLOW_STATUSES)[number];
/** Any state of a flow. */
export type FlowStatus = ActiveFlowStatus | EndedFlowStatus;

/** What is told of a flow or task: its end, every change of state, nothing. */
export const NOTIFY_POLICIES = ['done_only', 'state_changes', 'silent'] as const;
/** One of {@link NOTIFY_POLICIES}. */
export type NotifyPolicy = (typeof NOTIFY_POLICIES)[number];

/** `managed`: driven by a controller. `task_mirrored`: follows one task. */
export type SyncMode = 'managed' | 'task_mirrored';

/**
 * A flow as it is stored. Times are milliseconds since the epoch; `null` is an absent value, and the
 * two JSON fields are texts, where `'null'` is a JSON null that somebody set.
 */
export interface FlowRecord {
  /** Grows with each flow made; the order of all lists. */
  readonly seq: number;
  readonly flowId: FlowId;
  /** The session that owns it; never leaves through a webhook. */
  readonly ownerKey: string;
  readonly syncMode: SyncMode;
  readonly controllerId: string | null;
  /** 0 when made, one more with every write. */
  readonly revision: number;
  readonly status: FlowStatus;
  readonly notifyPolicy: NotifyPolicy;
  readonly goal: string;
  readonly currentStep: string | null;
  readonly blockedTaskId: string | null;
  readonly blockedSummary: string | null;
  readonly stateJson: string | null;
  readonly waitJson: string | null;
  readonly cancelRequestedAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Set exactly while the state is one of {@link ENDED_FLOW_STATUSES}. */
  readonly endedAt: number | null;
}

/** Whether a flow is over. */
export function hasFlowEnded(flow: Pick<FlowRecord, 'status'>): boolean {
  return isEndedStatus(flow.status);
}

/** Whether a state is final. */
export function isEndedStatus(status: FlowStatus): status is EndedFlowStatus {
  const ended: readonly FlowStatus[] = ENDED_FLOW_STATUSES;
  return ended.includes(status);
}
