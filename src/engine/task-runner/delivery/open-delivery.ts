import type { Logger } from 'pino';
import { childEnvironment } from '../../child/child-environment.js';
import { findProgram } from '../../child/find-program.js';
import { Minder } from '../../child/minder.js';
import type { LoadedConfig } from '../../config/index.js';
import type { EngineContext } from '../../context.js';
import type { Flows } from '../../flows/index.js';
import { resolveSecret } from '../../secrets/index.js';
import { type DeliveryOptions, NotificationDelivery } from './notification-delivery.js';
import type { NotificationTarget } from './target.js';

/** What delivering is opened with. */
export interface OpenDeliveryOptions extends Pick<DeliveryOptions, 'onTrouble'> {
  readonly flows: Flows;
  readonly context: EngineContext;
  readonly loaded: LoadedConfig;
  readonly log: Logger;
  /** The running Node.js, as `process.execPath`. */
  readonly nodePath: string;
}

/** Deliveries under way. */
export interface OpenDelivery {
  drain(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Begins to deliver notifications; undefined when the configuration says to nobody.
 *
 * @throws SvcError SECRET_UNRESOLVED, NOTIFY_SECRET_INVALID
 */
export async function openDelivery(
  options: OpenDeliveryOptions,
): Promise<OpenDelivery | undefined> {
  const minder = new Minder(options.nodePath);
  const target = await targetOf(options, minder);
  if (target === undefined) return undefined;
  const { flows, context, log, onTrouble } = options;
  const delivery = new NotificationDelivery({
    flows,
    target,
    clock: context.clock,
    log,
    onTrouble,
  });
  delivery.start();
  return {
    drain: () => delivery.drain(),
    close: async () => {
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
