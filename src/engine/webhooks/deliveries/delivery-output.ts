import type { DeliveryOutput, DeliveryShowOutput, ReplayOutput } from '../output-schemas.js';
import type { Delivery, DeliveryDetails } from './delivery.js';
import type { Replayed } from './replay-delivery.js';

/** The JSON form of a delivery. */
export function deliveryOutput(delivery: Delivery): DeliveryOutput {
  const { id, atMs, route, event, deliveryId, clientIp, requestId, isVerified } = delivery;
  const { status, code, reason, ms, action, flowId, replayOf, bodyState, bodyBytes } = delivery;
  const at = new Date(atMs).toISOString();
  const sender = { event, deliveryId, client: clientIp, requestId, verified: isVerified };
  const answer = { status, code, reason, ms, action, flowId };
  return { id, at, route, ...sender, ...answer, replayOf, bodyState, bodyBytes };
}

/** The JSON output of `svc webhook show`. */
export function deliveryShowOutput(delivery: DeliveryDetails): DeliveryShowOutput {
  const { headers, body } = delivery;
  return {
    delivery: deliveryOutput(delivery),
    headers,
    body: body === '' ? null : body,
  };
}

/** The JSON output of `svc webhook replay`. */
export function replayOutput({ of, id, answer, isFirstAnswer }: Replayed): ReplayOutput {
  return {
    replayOf: of.id,
    route: of.route,
    id: id ?? null,
    status: answer.status,
    firstAnswer: isFirstAnswer,
    answer: answer.body,
  };
}
