import { isUtf8 } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { SecretMask } from '../../masking/index.js';
import { firstChars, isRecord } from '../../support/text.js';
import { type AnsweredRequest, rounded } from '../answer-log.js';
import type { WebhookAnswer } from '../answers.js';
import { IDEMPOTENCY_HEADER } from '../map/request-intent.js';
import type { VerifiedDelivery } from '../pipeline.js';
import type { ServedRoute } from '../routes.js';
import type { DeliveryDetails } from './delivery-record.js';

/** A delivery to be recorded. Only references, because one is created for every request. */
export interface NewDelivery {
  readonly answered: Omit<AnsweredRequest, 'bytes' | 'method'>;
  readonly atMs: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly delivery: VerifiedDelivery | undefined;
  readonly flowId: string | null;
  readonly replayOf: string | null;
}

/** The alphabet of ids: no letter can be taken for another or for a digit. */
const ID_LETTERS = '0123456789abcdefghjkmnpqrstvwxyz';
const ID_CHARS = 10;

function newId(): string {
  return Array.from(randomBytes(ID_CHARS), (byte) => ID_LETTERS[byte % ID_LETTERS.length]).join('');
}

const MOST_TEXT_CHARS = 500;

/** The delivery as it is stored, without secrets. */
export function recordedDelivery(
  { answered, atMs, headers, delivery, flowId, replayOf }: NewDelivery,
  mask: Pick<SecretMask, 'text'>,
  maxBodyBytes: number,
): Omit<DeliveryDetails, 'seq'> {
  const { routeId, clientIp, requestId, status, code, reason, ms, action } = answered;
  const text = (value: string | null | undefined): string | null =>
    value == null ? null : mask.text(value).slice(0, MOST_TEXT_CHARS);
  const names = Object.entries(headers).map(([name, value]) => [name, text(value) ?? '']);
  return {
    id: newId(),
    atMs,
    route: routeId,
    deliveryId: text(delivery?.id),
    event: text(delivery?.event),
    clientIp: clientIp === '' ? null : clientIp,
    requestId: mask.text(requestId),
    status,
    code,
    reason: text(reason),
    ms: rounded(ms),
    action,
    flowId,
    replayOf,
    isVerified: delivery !== undefined,
    headers: Object.fromEntries(names),
    ...recordedBody(delivery?.body, headers['content-type'], mask, maxBodyBytes),
  };
}

/** The flow that an answer is about. */
export function flowIdOf({ body }: WebhookAnswer): string | null {
  const { result } = body;
  const flow = isRecord(result) ? result['flow'] : undefined;
  const id = isRecord(flow) ? flow['flowId'] : undefined;
  return typeof id === 'string' ? id : null;
}

/** Names of headers that may prove who sent a request: never recorded, even if a configuration names them. */
const PROOF = /auth|cookie|secret|signature|token|password/u;

/** The headers that decide what is done with a body. */
export function replayHeaders(
  { places, rules }: Pick<ServedRoute, 'places' | 'rules'>,
  headers: IncomingHttpHeaders,
): Readonly<Record<string, string>> {
  const kept: Record<string, string> = {};
  const keep = (name: string): void => {
    const value = headers[name];
    if (typeof value === 'string' && !PROOF.test(name)) kept[name] = value;
  };
  keep('content-type');
  if (rules === undefined) keep(IDEMPOTENCY_HEADER);
  if (places.event?.in === 'header') keep(places.event.name);
  for (const place of places.id) if (place.in === 'header') keep(place.name);
  return kept;
}

type Mask = Pick<SecretMask, 'text'>;

/** Bytes beyond the limit that are masked too, so that a secret which the limit cuts in two is found. */
const MARGIN = 8192;

/** What is recorded of a body. */
function recordedBody(
  body: Buffer | undefined,
  contentType: string | undefined,
  mask: Mask,
  maxBytes: number,
): Pick<DeliveryDetails, 'body' | 'bodyBytes' | 'bodyState'> {
  const bodyBytes = body?.length ?? 0;
  if (body === undefined || bodyBytes === 0 || maxBytes === 0) {
    return { body: '', bodyState: 'none', bodyBytes };
  }
  // The SQLite of Node.js 22 reads texts up to their first NUL, and what is left could be replayed.
  const isText = isUtf8(body) && !body.includes(0);
  if (!isText) return { body: '', bodyState: 'binary', bodyBytes };
  const isCut = bodyBytes > maxBytes;
  const text = body.subarray(0, isCut ? maxBytes + MARGIN : bodyBytes).toString('utf8');
  const masked = maskedBody(text, contentType, mask);
  if (!isCut) return { body: masked, bodyState: masked === text ? 'whole' : 'masked', bodyBytes };
  // Counted from the end: what is masked becomes shorter, and a secret that is cut there could move into what is kept.
  const beyond = text.length - body.subarray(0, maxBytes).toString('utf8').length;
  const kept = Math.max(0, Math.min(maxBytes, masked.length - beyond));
  return { body: firstChars(masked, kept), bodyState: 'cut', bodyBytes };
}

/** As it was sent, unless a secret is in it, also one that is written in another way. */
function maskedBody(text: string, contentType: string | undefined, mask: Mask): string {
  const masked = mask.text(text);
  const isForm = contentType?.toLowerCase().includes('form-urlencoded') === true;
  const plain = unescapeJson(isForm ? decodeForm(masked) : masked);
  const maskedPlain = plain === masked ? plain : mask.text(plain);
  return maskedPlain === plain ? masked : maskedPlain;
}

const ESCAPE = /\\(?:u([\da-f]{4})|\/)/giu;

/** JSON can write every character as an escape. Not parsed, because it may be cut or nested too deeply. */
function unescapeJson(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replaceAll(ESCAPE, (_, code: string | undefined) =>
    code === undefined ? '/' : String.fromCharCode(Number.parseInt(code, 16)),
  );
}

function decodeForm(text: string): string {
  return Array.from(new URLSearchParams(text), ([name, value]) => `${name}=${value}`).join('&');
}
