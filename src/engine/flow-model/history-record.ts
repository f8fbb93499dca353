import { type Fields, printer, type RecordOf } from './fields.js';
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
  flowSeq: { kind: 'count', meaning: 'The `seq` of its flow.', operators: false },
  n: { kind: 'count', meaning: 'Grows with each change of the flow.', operators: false },
  at: { kind: 'time', meaning: 'When it happened.' },
  actorKind: {
    kind: ACTORS,
    meaning: 'What made the change; `unknown` before there was a history.',
    operators: 'actor',
  },
  actorName: {
    kind: 'text',
    meaning: 'The id of the route or schedule, or the name of the worker.',
    nullable: true,
  },
  event: {
    kind: [
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
    meaning: 'What happened.',
  },
  taskId: { kind: 'text', meaning: 'The task that changed.', nullable: true },
  fromStatus: {
    kind: STATUSES,
    meaning: 'The state before, if it changed.',
    nullable: true,
    operators: 'from',
  },
  toStatus: {
    kind: STATUSES,
    meaning: 'The new state, if it changed.',
    nullable: true,
    operators: 'to',
  },
  revision: {
    kind: 'count',
    meaning: 'The revision of the flow or task after the change.',
    nullable: true,
  },
  note: {
    kind: 'text',
    meaning: 'What came with it: a step, a reason, progress, a summary or an error.',
    nullable: true,
  },
} as const satisfies Fields;

/** A change of a flow or of one of its tasks. */
export interface HistoryEntry extends RecordOf<typeof HISTORY_FIELDS> {
  readonly taskId: TaskId | null;
}

/** An entry that is not stored yet. */
export type NewHistoryEntry = Omit<HistoryEntry, 'n'>;

/** An entry as operators see it. */
export const historyEntryOutput = printer(HISTORY_FIELDS);
