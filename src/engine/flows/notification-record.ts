import type { ConfigPath, ResolvedConfig, SecretInput } from '../config/index.js';
import { type Fields, printer, type RecordOf } from './fields.js';
import type { FlowId, TaskId } from './ids.js';

/** What notifications are about. */
export const NOTIFICATION_KINDS = [
  'flow.changed',
  'flow.ended',
  'task.ended',
  'task.progress',
  'task.queued',
  'task.started',
] as const;
export type NotificationKind = (typeof NOTIFICATION_KINDS)[number];

export const NOTIFICATION_OUTCOMES = ['pending', 'delivered', 'failed'] as const;
export type NotificationOutcome = (typeof NOTIFICATION_OUTCOMES)[number];

export const NOTIFICATION_FIELDS = {
  seq: {
    kind: 'count',
    meaning: 'Identifies the delivery of one notification to one target on this store.',
    operators: 'number',
  },
  notificationId: {
    kind: 'text',
    meaning: 'The same for every attempt and target, and unique to the event.',
    column: 'id',
  },
  target: {
    kind: 'text',
    meaning:
      'Who it is for: `default`, the id of a target, or `route:` and a route with a callback.',
  },
  kind: { kind: NOTIFICATION_KINDS, meaning: 'What happened.' },
  ownerKey: { kind: 'text', meaning: 'The session that it is for.', operators: 'sessionKey' },
  flowId: { kind: 'text', meaning: 'The flow.' },
  taskId: { kind: 'text', meaning: 'The task.', nullable: true },
  payload: { kind: 'json', meaning: 'What is sent, as JSON.' },
  createdAt: { kind: 'time', meaning: 'When it happened.' },
  attempts: {
    kind: 'count',
    meaning: 'Delivery attempts, including one in progress; a retry starts again at 0.',
  },
  retries: { kind: 'count', meaning: 'How often an operator retried it.' },
  nextAttemptAt: {
    kind: 'time',
    meaning: 'When to attempt delivery next; empty once it is settled.',
    nullable: true,
  },
  settledAt: { kind: 'time', meaning: 'When it was delivered or given up.', nullable: true },
  outcome: { kind: NOTIFICATION_OUTCOMES, meaning: 'Whether it was delivered.' },
  lastError: { kind: 'text', meaning: 'Why the last attempt failed.', nullable: true },
} as const satisfies Fields;

/** A notification for one target as it is stored. */
export interface NotificationRecord extends RecordOf<typeof NOTIFICATION_FIELDS> {
  readonly flowId: FlowId;
  readonly taskId: TaskId | null;
}

/** Identifies a notification for one target in all stores. */
export type NotificationKey = Pick<NotificationRecord, 'notificationId' | 'target'>;

/** A notification as operators see it. */
export const notificationOutput = printer(NOTIFICATION_FIELDS);

/** The target that `flows.notify` itself describes, and all notifications from before targets had ids. */
export const DEFAULT_TARGET = 'default';

/** Which notifications a target gets; what is left out limits nothing. */
export interface NotificationFilter {
  readonly id: string;
  readonly kinds?: readonly NotificationKind[] | undefined;
  /** Of flows that one of these webhook routes created. */
  readonly routes?: readonly string[] | undefined;
}

/** A configured receiver: a program or a URL. */
export interface ConfiguredTarget {
  readonly filter: NotificationFilter;
  /** Where it is configured. */
  readonly path: ConfigPath;
  readonly command?: readonly string[] | undefined;
  readonly url?: string | undefined;
  readonly secret?: SecretInput | undefined;
}

/** Every receiver of a configuration: `flows.notify`, its `targets`, and the callbacks of routes. */
export function notificationTargets({
  flows,
  plugins,
}: Pick<ResolvedConfig, 'flows' | 'plugins'>): readonly ConfiguredTarget[] {
  const { targets, ...single } = flows.notify;
  const { routes } = plugins.entries.webhooks.config;
  const path: ConfigPath = ['flows', 'notify'];
  return [
    ...(single.command === undefined && single.url === undefined
      ? []
      : [{ filter: { id: DEFAULT_TARGET }, path, ...single }]),
    ...targets.map(({ id, kinds, routes: from, ...receiver }, at) => {
      return { filter: { id, kinds, routes: from }, path: [...path, 'targets', at], ...receiver };
    }),
    ...Object.entries(routes).flatMap(([id, { callback }]) =>
      callback === undefined ? [] : [{ ...callbackOf(id), ...callback }],
    ),
  ];
}

/** The colon keeps it apart from the ids of targets. */
function callbackOf(routeId: string): Pick<ConfiguredTarget, 'filter' | 'path'> {
  return {
    filter: { id: `route:${routeId}`, routes: [routeId] },
    path: ['plugins', 'entries', 'webhooks', 'config', 'routes', routeId, 'callback'],
  };
}
