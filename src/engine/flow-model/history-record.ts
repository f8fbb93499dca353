import { field, nullable, printer, type RecordOf } from './fields.js';
import { FLOW_STATUSES } from './flow-record.js';
import type { TaskId } from './ids.js';
import { TASK_STATUSES } from './task-record.js';

/** What makes changes. `unknown`: before there was a history. */
const ACTORS = ['operator', 'route', 'schedule', 'system', 'unknown', 'worker'] as const;

/** Who makes a change. */
export interface Actor {
  readonly kind: (typeof ACTORS)[number];
  /** The id of a route or a schedule, or the name of a worker. */
  readonly name: string | null;
}

/** Leases, grace periods, deliveries: what svc does on its own. */
export const SYSTEM: Actor = { kind: 'system', name: null };
/** Somebody at a terminal of this host. */
export const OPERATOR: Actor = { kind: 'operator', name: null };

/** @param name null for one that has not claimed its task */
export function workerNamed(name: string | null): Actor {
  return { kind: 'worker', name };
}

const STATUSES = [...new Set([...FLOW_STATUSES, ...TASK_STATUSES])];

export const HISTORY_FIELDS = {
  flowSeq: field('count', 'The `seq` of its flow.', { operators: false }),
  n: field('count', 'Grows with each change of the flow.', { operators: false }),
  at: field('time', 'When it happened.'),
  actorKind: field(ACTORS, 'What made the change; `unknown` before there was a history.', {
    operators: 'actor',
  }),
  actorName: nullable('text', 'The id of the route or schedule, or the name of the worker.'),
  event: field(
    [
      'flow.cancel_requested',
      'flow.changed',
      'flow.created',
      'flow.ended',
      'notification.delivered',
      'notification.failed',
      'notification.retried',
      'task.cancel_requested',
      'task.changed',
      'task.ended',
      'task.progress',
      'task.queued',
      'task.started',
    ],
    'What happened.',
  ),
  taskId: nullable('text', 'The task that changed.'),
  fromStatus: nullable(STATUSES, 'The state before, if it changed.', { operators: 'from' }),
  toStatus: nullable(STATUSES, 'The new state, if it changed.', { operators: 'to' }),
  revision: nullable('count', 'The revision of the flow or task after the change.'),
  note: nullable('text', 'What came with it: a step, a reason, progress, a summary or an error.'),
};

/** A change of a flow or of one of its tasks. */
export interface HistoryEntry extends RecordOf<typeof HISTORY_FIELDS> {
  readonly taskId: TaskId | null;
}

/** An entry that is not stored yet. */
export type NewHistoryEntry = Omit<HistoryEntry, 'n'>;

/** An entry as operators see it. */
export const historyEntryOutput = printer(HISTORY_FIELDS);
