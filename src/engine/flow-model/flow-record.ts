import { emptyFields, type Fields, printer, type RecordOf, viewer } from './fields.js';
import type { FlowId } from './ids.js';

export const ACTIVE_FLOW_STATUSES = ['queued', 'running', 'waiting', 'blocked'] as const;
export const ENDED_FLOW_STATUSES = ['succeeded', 'failed', 'cancelled', 'lost'] as const;
export const FLOW_STATUSES = [...ACTIVE_FLOW_STATUSES, ...ENDED_FLOW_STATUSES] as const;
export type FlowStatus = (typeof FLOW_STATUSES)[number];

/** What is notified of a flow or task: its end, every change of state, or nothing. */
export const NOTIFY_POLICIES = ['done_only', 'state_changes', 'silent'] as const;

/** A JSON null that was set is the text `null`; an absent value is null. */
export const FLOW_FIELDS = {
  seq: {
    kind: 'count',
    meaning: 'Grows with each new flow; the order of all lists.',
    operators: false,
    webhooks: false,
  },
  flowId: { kind: 'text', meaning: 'A UUID.', column: 'id' },
  ownerKey: {
    kind: 'text',
    meaning: 'The session that owns it; never sent to webhooks.',
    operators: 'sessionKey',
    webhooks: false,
  },
  controllerId: { kind: 'text', meaning: 'Who drives it.', nullable: true },
  routeId: {
    kind: 'text',
    meaning: 'The webhook route that created it.',
    nullable: true,
    webhooks: false,
  },
  syncMode: {
    kind: ['managed', 'task_mirrored'],
    meaning: '`managed`: driven by a controller.',
  },
  revision: { kind: 'count', meaning: 'Starts at 0 and grows by one with every change.' },
  status: { kind: FLOW_STATUSES, meaning: 'See [flows.md](flows.md#states).' },
  notifyPolicy: { kind: NOTIFY_POLICIES, meaning: 'When notifications are sent.' },
  goal: { kind: 'text', meaning: 'What it is for.' },
  currentStep: {
    kind: 'text',
    meaning: 'Its progress, in the words of its controller.',
    nullable: true,
  },
  blockedTaskId: { kind: 'text', meaning: 'The task that blocks it.', nullable: true },
  blockedSummary: { kind: 'text', meaning: 'What blocks it.', nullable: true },
  stateJson: { kind: 'json', meaning: 'State of its controller.', nullable: true },
  waitJson: {
    kind: 'json',
    meaning: 'What it waits for, in the words of its controller.',
    nullable: true,
  },
  createdAt: { kind: 'time', meaning: 'When it was created.' },
  updatedAt: { kind: 'time', meaning: 'When it last changed.' },
  cancelRequestedAt: {
    kind: 'time',
    meaning: 'When its cancellation was first requested; from then on it can only end.',
    nullable: true,
  },
  endedAt: { kind: 'time', meaning: 'When it ended.', nullable: true },
} as const satisfies Fields;

/** A flow as it is stored. */
export interface FlowRecord extends RecordOf<typeof FLOW_FIELDS> {
  readonly flowId: FlowId;
}

export const EMPTY_FLOW = emptyFields(FLOW_FIELDS);

/** A flow as operators see it. */
export const flowOutput = printer(FLOW_FIELDS);

/** A flow as an outside system sees it, without its owner. */
export const flowView = viewer(FLOW_FIELDS);

export function hasFlowEnded({ status }: Pick<FlowRecord, 'status'>): boolean {
  const ended: readonly FlowStatus[] = ENDED_FLOW_STATUSES;
  return ended.includes(status);
}
