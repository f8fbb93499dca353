import { randomUUID } from 'node:crypto';
import type { LoadedConfig } from '../../config/index.js';
import { messageOf, SvcError } from '../../errors/index.js';
import { type Flows, openFlows } from '../../flows/index.js';
import type { SecretMask } from '../../masking/index.js';
import { closing } from '../../support/async.js';
import type { EngineContext } from '../../support/context.js';
import { shellWord } from '../../support/text.js';
import { reasonOf, type WebhookAnswer } from '../answers.js';
import { type RequestIntent, readIntent } from '../map/request-intent.js';
import { answerVerified } from '../pipeline.js';
import { receiverOf } from '../routes.js';
import { configuredRoute } from '../signed-request.js';
import { requestHead } from '../verify/schemes.js';
import { flowIdOf, type NewDelivery, recordedDelivery } from './delivery.js';
import { DeliveryFile, deliveriesFile } from './delivery-file.js';
import { findDelivery } from './delivery-reader.js';
import type { DeliveryDetails } from './delivery-record.js';

/** A delivery to be replayed. */
export interface Replay {
  /** Or a unique prefix of it. */
  readonly id: string;
  /** As a new delivery: otherwise one that was performed gets its first answer. */
  readonly again: boolean;
}

/** What a replay needs. */
export interface ReplayContext {
  readonly loaded: LoadedConfig;
  readonly context: EngineContext;
  readonly mask: Pick<SecretMask, 'text'>;
}

/** The result of a replay. */
export interface ReplayResult {
  readonly original: DeliveryDetails;
  /** Of its own record; undefined if it could not be recorded. */
  readonly id: string | undefined;
  readonly answer: WebhookAnswer;
  /** Whether it is the answer that the delivery got, and nothing was done. */
  readonly isFirstAnswer: boolean;
  /** Why it could not be recorded. */
  readonly unrecorded: string | undefined;
}

/**
 * Does with a recorded delivery what its route would do now. Its signature is not checked: an operator of this machine
 * can do everything that its sender could.
 *
 * @param opened the flows, if they are open
 * @throws SvcError DELIVERY_NOT_FOUND, DELIVERY_NOT_REPLAYABLE, DELIVERIES_UNUSABLE, WEBHOOKS_DISABLED,
 *   WEBHOOK_ROUTE_UNKNOWN, FLOWS_*, STORAGE_*
 */
export async function replayDelivery(
  replay: Replay,
  world: ReplayContext,
  opened?: Pick<Flows, 'perform'>,
): Promise<ReplayResult> {
  const prepared = prepare(replay, world);
  if (opened !== undefined) return perform(prepared, world, opened);
  const flows = await openFlows(world.context, world.loaded.resolved);
  try {
    return await perform(prepared, world, flows);
  } finally {
    await flows.close();
  }
}

function prepare({ id, again }: Replay, { loaded, context }: ReplayContext) {
  const original = findDelivery(id, context.state.stateDir);
  const route = configuredRoute(original.route, loaded);
  if (!loaded.resolved.plugins.entries.webhooks.enabled || !route.enabled) {
    throw new SvcError('WEBHOOKS_DISABLED', `route ${original.route} is disabled`, {
      hint: 'enable it in plugins.entries.webhooks',
    });
  }
  if (original.bodyState !== 'whole') throw notReplayable(original, route.map !== undefined);
  const body = Buffer.from(original.body, 'utf8');
  const receiver = receiverOf(original.route, route);
  const read = readIntent(receiver, requestHead(original.headers), body);
  return { original, body, receiver, intent: again ? withNewId(read) : read };
}

const INCOMPLETE_BODY = {
  cut: 'its body was too long to be kept whole',
  masked: 'secrets in its body were masked',
  binary: 'its body is not text',
} as const;

function notReplayable({ id, route, bodyState, isVerified }: DeliveryDetails, isMapped: boolean) {
  const why =
    bodyState === 'none' || bodyState === 'whole'
      ? `its body was not kept${isVerified ? '' : ', because its sender was not verified'}`
      : INCOMPLETE_BODY[bodyState];
  return new SvcError('DELIVERY_NOT_REPLAYABLE', `delivery ${id} cannot be replayed: ${why}`, {
    hint: isMapped
      ? 'let its sender deliver it again'
      : `let its sender deliver it again, or send it yourself: svc webhook call ${shellWord(route)} ACTION --data …`,
  });
}

/** Under another id, so that it is performed again. */
function withNewId(intent: RequestIntent): RequestIntent {
  if (intent.type !== 'action' || intent.idempotency === undefined) return intent;
  const deliveryId = `replay-${randomUUID()}`;
  return { ...intent, deliveryId, idempotency: { ...intent.idempotency, key: deliveryId } };
}

async function perform(
  { original, body, receiver, intent }: ReturnType<typeof prepare>,
  world: ReplayContext,
  flows: Pick<Flows, 'perform'>,
): Promise<ReplayResult> {
  const { clock } = world.context;
  const atMs = clock.now();
  const startedMs = performance.now();
  const { answer, action } = await answerVerified(intent, receiver, flows);
  const answered = {
    routeId: original.route,
    requestId: randomUUID(),
    status: answer.status,
    code: answer.code,
    reason: reasonOf(answer),
    action,
    clientIp: '',
    ms: performance.now() - startedMs,
  };
  const { event, deliveryId: id } = intent;
  const record = {
    answered,
    atMs,
    headers: original.headers,
    delivery: { body, event, id },
    flowId: flowIdOf(answer),
    replayOf: original.id,
  };
  const isFirstAnswer = answer.headers['idempotent-replayed'] !== undefined;
  return { original, answer, isFirstAnswer, ...addRecord(record, world) };
}

function addRecord(
  replay: NewDelivery,
  { loaded, context, mask }: ReplayContext,
): Pick<ReplayResult, 'id' | 'unrecorded'> {
  const limits = loaded.resolved.plugins.entries.webhooks.config.deliveries;
  const row = recordedDelivery(replay, mask, limits.maxBodyBytes);
  try {
    using file = closing(DeliveryFile.open(deliveriesFile(context.state.stateDir)));
    file.add([row], limits, replay.atMs);
    return { id: row.id, unrecorded: undefined };
  } catch (error) {
    // It was performed: what is missing is only its record.
    return { id: undefined, unrecorded: messageOf(error) };
  }
}
