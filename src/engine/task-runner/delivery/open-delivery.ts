import type { Logger } from 'pino';
import { ChildGroup } from '../../child/child-group.js';
import { Minder } from '../../child/minder.js';
import { childEnvironment, findProgram } from '../../child/program.js';
import { formatPath, type LoadedConfig } from '../../config/index.js';
import { faultFields, messageOf } from '../../errors/index.js';
import { type ConfiguredTarget, type Flows, notificationTargets } from '../../flows/index.js';
import { createSecretMask } from '../../masking/index.js';
import { resolveSecret } from '../../secrets/index.js';
import type { EngineContext } from '../../support/context.js';
import { endFailure, followErrors, programNotes } from '../job.js';
import {
  DELIVERY_TIMEOUT_MS,
  type DeliveryOptions,
  type NotificationTarget,
  notificationDelivery,
} from './notification-delivery.js';

interface OpenDeliveryOptions extends Pick<DeliveryOptions, 'onProblem'> {
  readonly flows: Flows;
  readonly context: EngineContext;
  readonly loaded: LoadedConfig;
  readonly log: Logger;
  /** Stops reading secrets, except for a delivery. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Starts to deliver notifications; undefined if no receiver is configured. A target that cannot be used, for example
 * because its secret cannot be read, fails its own deliveries only: whoever delivers has more to do.
 */
export async function openDelivery(options: OpenDeliveryOptions) {
  const { flows, log, onProblem, loaded, signal } = options;
  const configured = notificationTargets(loaded.resolved);
  if (configured.length === 0) return undefined;
  const minder = new Minder(process.execPath);
  const openOne = async (target: ConfiguredTarget) => {
    const open = (until?: AbortSignal): Promise<OpenTarget> =>
      openTarget(target, { ...options, signal: until }, minder);
    const { id } = target.filter;
    try {
      return { id, fault: undefined, ...(await open(signal)) };
    } catch (fault) {
      const send: NotificationTarget['send'] = async (...sent) => (await open()).send(...sent);
      return { id, fault, send, secret: undefined };
    }
  };
  const opened = await Promise.all(configured.map(openOne));
  const targets = new Map(opened.map((target) => [target.id, target]));
  const delivery = notificationDelivery({ flows, targets, log, onProblem });
  for (const { id, fault } of opened) {
    if (fault === undefined || signal?.aborted === true) continue;
    const message = `target ${id} cannot be used: ${messageOf(fault)}`;
    log.error({ target: id, ...faultFields(fault) }, message);
    delivery.setProblem(id, { cause: fault });
  }
  if (signal?.aborted !== true) delivery.start();
  return {
    /** Whether all secrets can be read, and have the values that notifications are signed with. */
    hasCurrentSecrets: async (): Promise<boolean> => {
      const now = await Promise.allSettled(configured.map((target) => secretOf(target, options)));
      return now.every(
        (read, at) => read.status === 'fulfilled' && read.value === opened[at]?.secret,
      );
    },
    drain: delivery.drain,
    close: async (): Promise<void> => {
      await delivery.stop();
      minder.close();
    },
  };
}

interface OpenTarget extends NotificationTarget {
  /** What it signs with. */
  readonly secret: string;
}

async function openTarget(
  target: ConfiguredTarget,
  options: OpenDeliveryOptions,
  minder: Minder,
): Promise<OpenTarget> {
  const { command, url = '', path } = target;
  const secret = await secretOf(target, options);
  const [word, ...args] = command ?? [];
  if (word !== undefined) return { ...commandTarget(word, args, options, minder), secret };
  const { urlTarget } = await import('./url-target.js');
  const { clock } = options.context;
  return { ...urlTarget({ url, secret, owner: formatPath(path), clock }), secret };
}

/** Empty where nothing is signed. @throws SvcError SECRET_UNRESOLVED */
async function secretOf(
  { command, secret }: ConfiguredTarget,
  { context, loaded, signal }: OpenDeliveryOptions,
): Promise<string> {
  if (command !== undefined || secret === undefined) return '';
  const { env, onSecret } = context;
  const settings = loaded.resolved.secrets;
  return resolveSecret(secret, { env, settings, onSecret, signal });
}

/**
 * A program that reads a notification as JSON from stdin; it is delivered when that exits with 0. It is looked up each
 * time.
 */
function commandTarget(
  word: string,
  args: readonly string[],
  { context, loaded, log }: OpenDeliveryOptions,
  { announce }: Minder,
): NotificationTarget {
  const env = childEnvironment(context.env);
  const mask = createSecretMask();
  return {
    send: async ({ notificationId, payload }, signal) => {
      const child = new ChildGroup({
        command: [findProgram(word, context, loaded), ...args],
        env: { ...env, SVC_NOTIFICATION_ID: notificationId },
        cwd: context.homeDir,
        announce,
      });
      const lastError = followErrors(child.stderr, programNotes(log, mask));
      const stop = (): void => child.stop();
      let isLate = false;
      const timer = setTimeout(() => {
        isLate = true;
        child.stop();
      }, DELIVERY_TIMEOUT_MS);
      signal.addEventListener('abort', stop);
      child.stdout.resume();
      child.stdin.end(payload);
      const end = await child.ended;
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      signal.throwIfAborted();
      if (isLate) return { ok: false, error: 'the program did not exit in time' };
      if (end.kind === 'exited' && end.exitCode === 0) return { ok: true };
      return { ok: false, error: `the program ${endFailure(end, lastError())}` };
    },
  };
}
