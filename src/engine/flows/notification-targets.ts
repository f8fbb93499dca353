import type { ConfigPath, ResolvedConfig, SecretInput } from '../config/index.js';
import type { NotificationKind } from '../flow-model/notification-record.js';

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
