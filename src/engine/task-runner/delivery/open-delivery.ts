import type { Logger } from 'pino';
import { childEnvironment, findProgram } from '../../child/index.js';
import { Minder } from '../../child/minder.js';
import type { LoadedConfig } from '../../config/index.js';
import type { Flows } from '../../flows/index.js';
import { resolveSecret } from '../../secrets/index.js';
import type { EngineContext } from '../../support/context.js';
import {
  type DeliveryOptions,
  NotificationDelivery,
  type NotificationTarget,
} from './notification-delivery.js';

interface OpenDeliveryOptions extends Pick<DeliveryOptions, 'onTrouble'> {
  readonly flows: Flows;
  readonly context: EngineContext;
  readonly loaded: LoadedConfig;
  readonly log: Logger;
  /** The running Node.js, as `process.execPath`. */
  readonly nodePath: string;
}

/** Running deliveries; see {@link openDelivery}. */
export type OpenDelivery = NonNullable<Awaited<ReturnType<typeof openDelivery>>>;

/**
 * Starts to deliver notifications; undefined if no receiver is configured.
 *
 * @throws SvcError SECRET_UNRESOLVED, NOTIFY_SECRET_INVALID
 */
export async function openDelivery(options: OpenDeliveryOptions) {
  const minder = new Minder(options.nodePath);
  const target = await targetOf(options, minder);
  if (target === undefined) return undefined;
  const { flows, log, onTrouble } = options;
  const delivery = new NotificationDelivery({
    flows,
    target,
    log,
    onTrouble,
  });
  delivery.start();
  return {
    drain: (): Promise<void> => delivery.drain(),
    close: async (): Promise<void> => {
      await delivery.stop();
      minder.close();
    },
  };
}

async function targetOf(
  { context, loaded, log }: OpenDeliveryOptions,
  minder: Minder,
): Promise<NotificationTarget | undefined> {
  const { resolved } = loaded;
  const { command, url, secret } = resolved.flows.notify;
  const [word, ...args] = command ?? [];
  if (word !== undefined) {
    const { commandTarget } = await import('./command-target.js');
    return commandTarget({
      command: () => [findProgram(word, context, loaded), ...args],
      env: childEnvironment(context.env),
      cwd: context.homeDir,
      mind: minder.mind,
      note: (text) => log.info(text),
    });
  }
  if (url === undefined || secret === undefined) return undefined;
  const { env, clock, onSecret } = context;
  const value = await resolveSecret(secret, { env, settings: resolved.secrets, onSecret });
  const { urlTarget } = await import('./url-target.js');
  return urlTarget({ url, secret: value, clock });
}
