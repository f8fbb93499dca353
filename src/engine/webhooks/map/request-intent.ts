import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { FlowAction, StartFlow } from '../../flow-model/action-schemas.js';
import { readAction } from '../../flow-model/action-template.js';
import type { Idempotency } from '../../flows/index.js';
import { valueAtKeys } from '../../support/json-pointer.js';
import { isRecord, withSortedKeys } from '../../support/text.js';
import { REQUEST_REJECTIONS, type RequestRejection } from '../answers.js';
import { isFormBody, parseBody, parseForm } from '../body.js';
import type { Receiver } from '../routes.js';
import type { Place, RequestHead } from '../verify/schemes.js';
import type { MappedRequest } from './map-rules.js';

/** What a verified request asks for. */
export type RequestIntent = {
  readonly event: string | undefined;
  /** The id that the sender gave the delivery. */
  readonly deliveryId: string | undefined;
} & Decision;

type Decision =
  | { readonly type: 'refused'; readonly code: RequestRejection; readonly error: string }
  /** The sender checks the address, and expects this text in this field. */
  | { readonly type: 'challenge'; readonly field: string; readonly text: string }
  /** The sender only announces itself. */
  | { readonly type: 'ping' }
  | { readonly type: 'ignored'; readonly rule: number | undefined }
  | {
      readonly type: 'action';
      readonly rule: number | undefined;
      readonly action: FlowAction | StartFlow;
      readonly idempotency: Idempotency | undefined;
    };

/** Reads a verified request: an action as svc defines them, or whatever the rules of the route make of it. */
export function readIntent(route: Receiver, head: RequestHead, bytes: Buffer): RequestIntent {
  const { rules, places } = route;
  const isMapped = rules !== undefined;
  const parsed =
    isMapped && isFormBody(head.headers) ? parseForm(bytes) : parseBody(bytes, isMapped);
  if (!parsed.ok) return { event: undefined, deliveryId: undefined, ...refusal(parsed.error) };
  const { value } = parsed;
  const event = places.event === undefined ? undefined : valueAt(places.event, head, value)?.[0];
  const deliveryId = deliveryIdOf(places, head, value);
  return {
    event,
    deliveryId: deliveryId === 'invalid' ? undefined : deliveryId?.id,
    ...decide(route, { head, bytes, deliveryId, event, body: value }),
  };
}

interface ParsedRequest extends MappedRequest {
  readonly head: RequestHead;
  /** The body as it was received. */
  readonly bytes: Buffer;
  readonly deliveryId: DeliveryId;
}

function decide(
  route: Receiver,
  { head, bytes, deliveryId, event, body }: ParsedRequest,
): Decision {
  const { rules } = route;
  const challenge = challengeOf(route, event, body);
  if (challenge !== undefined) return challenge;
  if (deliveryId === 'invalid')
    return refusal('the id of the delivery must be 1 to 255 visible ASCII characters');
  const idempotency =
    deliveryId === undefined ? undefined : deliveryIdempotency(route, deliveryId.id, bytes);
  if (rules === undefined) return decideAction(head, body, idempotency);
  const mapped = rules({ event, body });
  switch (mapped.type) {
    case 'ignored':
      return mapped;
    case 'unmatched':
      return route.rejectsUnmatched
        ? { type: 'refused', code: 'unmatched', error: REQUEST_REJECTIONS.unmatched.error }
        : { type: 'ignored', rule: undefined };
    case 'invalid': {
      const error = `Rule ${mapped.rule} makes no valid action: ${mapped.error}`;
      return { type: 'refused', code: 'mapping_failed', error };
    }
    case 'action':
      return { ...mapped, idempotency: mappedIdempotency(route, mapped.action, idempotency) };
  }
}

/** A repeated delivery has the same bytes, unless they contain something about how it is sent. */
function mappedIdempotency(
  { repeatsDiffer }: Receiver,
  action: FlowAction | StartFlow,
  idempotency: Idempotency | undefined,
): Idempotency | undefined {
  if (idempotency === undefined || !repeatsDiffer) return idempotency;
  return { ...idempotency, bodyHash: hash('sha256', JSON.stringify(action), 'hex') };
}

function refusal(error: string): Decision {
  return { type: 'refused', code: 'invalid_request', error };
}

/** A body that is an action itself. */
function decideAction(
  head: RequestHead,
  body: unknown,
  idempotency: Idempotency | undefined,
): Decision {
  const parsed = readAction(body);
  if (parsed.type === 'invalid') return refusal(parsed.error);
  const { action } = parsed;
  const ownIdempotency = idempotencyOf(head.headers, action);
  if (ownIdempotency === 'invalid') {
    return refusal('Idempotency-Key: must be 1 to 255 visible ASCII characters');
  }
  return { type: 'action', rule: undefined, action, idempotency: ownIdempotency ?? idempotency };
}

/** Longer ones are not challenges. */
const MOST_CHALLENGE_CHARS = 1024;

function challengeOf(
  { scheme, challenge }: Receiver,
  event: string | undefined,
  body: unknown,
): Decision | undefined {
  if (scheme === 'github' && event === 'ping') return { type: 'ping' };
  const isSlack = scheme === 'slack' && isRecord(body) && body['type'] === 'url_verification';
  const field = isSlack ? 'challenge' : challenge;
  if (field === undefined || !isRecord(body) || !Object.hasOwn(body, field)) return undefined;
  const text = body[field];
  if (typeof text !== 'string' || text.length > MOST_CHALLENGE_CHARS) return undefined;
  return { type: 'challenge', field, text };
}

/** Undefined if there is none. */
type DeliveryId = { readonly id: string } | 'invalid' | undefined;

function deliveryIdOf(
  { id: places }: Receiver['places'],
  head: RequestHead,
  body: unknown,
): DeliveryId {
  for (const place of places) {
    const values = valueAt(place, head, body);
    if (values === undefined) continue;
    const [id = '', more] = values;
    return more !== undefined || !IDEMPOTENCY_KEY.test(id) ? 'invalid' : { id };
  }
  return undefined;
}

function deliveryIdempotency(
  { id: routeId, dedupeMs }: Receiver,
  deliveryId: string,
  bytes: Buffer,
) {
  return {
    key: `${routeId}:${deliveryId}`,
    bodyHash: hash('sha256', bytes, 'hex'),
    deliveryMs: dedupeMs,
  };
}

/** The values of a header, or the text in the body. */
function valueAt(place: Place, head: RequestHead, body: unknown): readonly string[] | undefined {
  if (place.in === 'header') return head.headersDistinct[place.name];
  const value = valueAtKeys(body, place.keys);
  if (typeof value === 'string') return [value];
  return typeof value === 'number' ? [String(value)] : undefined;
}

export const IDEMPOTENCY_HEADER = 'idempotency-key';

/** What can be an idempotency key, or the id of a delivery. */
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/u;

/** Actions that a repetition would perform twice; others carry a revision or are idempotent. */
const KEYED_ACTIONS: ReadonlySet<FlowAction['action']> = new Set(['create_flow', 'run_task']);

/**
 * The idempotency key of a request; undefined if it has none or needs none. The parsed action is hashed, so
 * that white space and the order of fields do not matter.
 */
function idempotencyOf(
  headers: IncomingHttpHeaders,
  action: FlowAction,
): Idempotency | 'invalid' | undefined {
  const key = headers[IDEMPOTENCY_HEADER];
  if (key === undefined || !KEYED_ACTIONS.has(action.action)) return undefined;
  if (typeof key !== 'string' || !IDEMPOTENCY_KEY.test(key)) return 'invalid';
  // The fields themselves are in the order of the schema, as in hashes of earlier versions.
  const text = JSON.stringify(action, (name, value: unknown) =>
    name === '' ? value : withSortedKeys(name, value),
  );
  return { key, bodyHash: hash('sha256', text, 'hex') };
}
