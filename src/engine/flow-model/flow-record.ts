import { emptyFields, field, nullable, printer, type RecordOf, viewer } from './fields.js';
import type { FlowId } from './ids.js';

export const ACTIVE_FLOW_STATUSES = ['queued', 'running', 'waiting', 'blocked'] as const;
export const ENDED_FLOW_STATUSES = ['succeeded', 'failed', 'cancelled', 'lost'] as const;
export const FLOW_STATUSES = [...ACTIVE_FLOW_STATUSES, ...ENDED_FLOW_STATUSES] as const;
export type FlowStatus = (typeof FLOW_STATUSES)[number];

/** What is notified of a flow or task: its end, every change of state, or nothing. */
export const NOTIFY_POLICIES = ['done_only', 'state_changes', 'silent'] as const;

/** A JSON null that was set is the text `null`; an absent value is null. */
export const FLOW_FIELDS = {
  seq: field('count', 'Grows with each new flow; the order of all lists.', {
    operators: false,
    webhooks: false,
  }),
  flowId: field('text', 'A UUID.', { column: 'id' }),
  ownerKey: field('text', 'The session that owns it; never sent to webhooks.', {
    operators: 'sessionKey',
    webhooks: false,
  }),
  controllerId: nullable('text', 'Who drives it.'),
  routeId: nullable('text', 'The webhook route that created it.', { webhooks: false }),
  syncMode: field(['managed', 'task_mirrored'], '`managed`: driven by a controller.'),
  revision: field('count', 'Starts at 0 and grows by one with every change.'),
  status: field(FLOW_STATUSES, 'See [flows.md](flows.md#states).'),
  notifyPolicy: field(NOTIFY_POLICIES, 'When notifications are sent.'),
  goal: field('text', 'What it is for.'),
  currentStep: nullable('text', 'Its progress, in the words of its controller.'),
  blockedTaskId: nullable('text', 'The task that blocks it.'),
  blockedSummary: nullable('text', 'What blocks it.'),
  stateJson: nullable('json', 'State of its controller.'),
  waitJson: nullable('json', 'What it waits for, in the words of its controller.'),
  createdAt: field('time', 'When it was created.'),
  updatedAt: field('time', 'When it last changed.'),
  cancelRequestedAt: nullable(
    'time',
    'When its cancellation was first requested; from then on it can only end.',
  ),
  endedAt: nullable('time', 'When it ended.'),
};

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
