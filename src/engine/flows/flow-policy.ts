import { isDeepStrictEqual } from 'node:util';
import {
  type ConfigPath,
  type ResolvedConfig,
  RUNTIME_DEFAULTS,
  type SecretInput,
} from '../config/index.js';
import type { NotificationKind } from '../flow-model/notification-record.js';
import type { TaskRuntime } from '../flow-model/task-record.js';
import { MS_PER_DAY, MS_PER_HOUR } from '../support/time.js';

/** The configuration of flows, in the units it is used in. */
export type FlowPolicy = ReturnType<typeof flowPolicy>;

export function flowPolicy(config: ResolvedConfig) {
  const { flows } = config;
  const runtimes: Partial<Record<TaskRuntime, { maxAttempts: number } | undefined>> =
    flows.runtimes;
  return {
    /** How long ended flows and tasks are kept. */
    retentionMs: flows.retentionDays * MS_PER_DAY,
    /** How long a repeated request is recognised. */
    idempotencyMs: flows.idempotencyHours * MS_PER_HOUR,
    /** How long a worker can be silent before its task is taken back. */
    leaseMs: flows.leaseSeconds * 1000,
    /** What becomes of a task whose worker is dead. */
    orphans: flows.orphans,
    /** Who is notified; without any, no notification is stored. */
    targets: notificationTargets(config).map(({ filter }) => filter),
    /** How often a task is attempted before it has failed. */
    maxAttempts: (runtime: TaskRuntime) => (runtimes[runtime] ?? RUNTIME_DEFAULTS).maxAttempts,
  };
}

/** Whether two configurations open the same flows: in one store, with the same policy. */
export function opensSameFlows(a: ResolvedConfig, b: ResolvedConfig): boolean {
  return isDeepStrictEqual(openingSettings(a), openingSettings(b));
}

function openingSettings(config: ResolvedConfig) {
  const { flows, storage, secrets } = config;
  const targets = notificationTargets(config).map(({ filter }) => filter);
  const isReferenced = storage.url !== undefined && storage.url.kind !== 'plain';
  return { flows, storage, targets, secrets: isReferenced ? secrets : undefined };
}

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
      callback === undefined
        ? []
        : [
            {
              // The colon keeps it apart from the ids of targets.
              filter: { id: `route:${id}`, routes: [id] },
              path: ['plugins', 'entries', 'webhooks', 'config', 'routes', id, 'callback'],
              ...callback,
            },
          ],
    ),
  ];
}
