import type { FlowAnswer, FlowRejection, JsonObject } from '../flows/index.js';

/** Why a request on a known route did not come to its action. */
export type RequestRejection =
  | 'draining'
  | 'internal_error'
  | 'invalid_request'
  | 'method_not_allowed'
  | 'payload_too_large'
  | 'persist_failed'
  | 'rate_limited'
  | 'request_timeout'
  | 'too_many_in_flight'
  | 'unauthorized'
  | 'unsupported_media_type';

/** Every code of a body with `ok: false`. */
export type RejectionCode = RequestRejection | FlowRejection;

/** What a rejection says over HTTP. */
interface RejectionKind {
  readonly status: number;
  /** What is said unless somebody knows better. */
  readonly error: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body may still be on its way, and nobody waits for its end. */
  readonly lingers?: true;
}

/** A client that is told to come back later without a time is told this one, in seconds. */
const RETRY_SOON = '1';
/** What a restart takes. */
const RETRY_AFTER_RESTART = '5';

/** Status and words of each rejection that the listener itself makes. */
export const REQUEST_REJECTIONS: Readonly<Record<RequestRejection, RejectionKind>> = {
  draining: {
    status: 503,
    error: 'The service is stopping.',
    headers: { 'retry-after': RETRY_AFTER_RESTART, connection: 'close' },
  },
  internal_error: { status: 500, error: 'Something went wrong here; the log tells more.' },
  invalid_request: { status: 400, error: 'The request is not valid.' },
  method_not_allowed: {
    status: 405,
    error: 'Requests are sent with POST.',
    headers: { allow: 'POST' },
  },
  payload_too_large: { status: 413, error: 'The body is too large.', lingers: true },
  persist_failed: {
    status: 503,
    error: 'The change could not be stored; nothing was done.',
    headers: { 'retry-after': RETRY_AFTER_RESTART },
  },
  rate_limited: { status: 429, error: 'Too many requests.' },
  request_timeout: { status: 408, error: 'The body took too long to arrive.', lingers: true },
  too_many_in_flight: {
    status: 429,
    error: 'Too many requests at the same time.',
    headers: { 'retry-after': RETRY_SOON },
  },
  unauthorized: {
    status: 401,
    error: 'The secret of the route is missing or wrong.',
    headers: { 'www-authenticate': 'Bearer' },
  },
  unsupported_media_type: {
    status: 415,
    error: 'The body must be application/json in UTF-8, not compressed.',
  },
};

/** Statuses of what flows refuse (facts §2.4). */
export const FLOW_STATUSES: Readonly<Record<FlowRejection, number>> = {
  not_found: 404,
  not_managed: 409,
  terminal: 409,
  cancel_requested: 409,
  revision_conflict: 409,
  create_rejected: 409,
  mutation_rejected: 409,
  task_not_created: 409,
  idempotency_mismatch: 422,
};

/** Everything that is sent back. */
export interface WebhookAnswer {
  readonly status: number;
  /** Null for an action that was performed. */
  readonly code: RejectionCode | null;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the body may still be on its way. */
  readonly lingers: boolean;
  readonly body: JsonObject;
}

const NO_HEADERS = {};

/** The answer to a request that did not come to its action. */
export function rejection(
  routeId: string,
  code: RequestRejection,
  said: { readonly error?: string; readonly headers?: Readonly<Record<string, string>> } = {},
): WebhookAnswer {
  const kind = REQUEST_REJECTIONS[code];
  const error = said.error ?? kind.error;
  return {
    status: kind.status,
    code,
    headers: { ...kind.headers, ...said.headers },
    lingers: kind.lingers ?? false,
    body: { ok: false, routeId, code, error, result: {} },
  };
}

/** The answer of an action. */
export function actionAnswer(routeId: string, answer: FlowAnswer): WebhookAnswer {
  if (!answer.ok) {
    const { code, error, result } = answer;
    const body = { ok: false, routeId, code, error, result };
    return { status: FLOW_STATUSES[code], code, headers: NO_HEADERS, lingers: false, body };
  }
  const { code, result } = answer;
  const body = { ok: true, routeId, ...(code === undefined ? {} : { code }), result };
  const status = code === 'cancel_pending' ? 202 : 200;
  return { status, code: null, headers: NO_HEADERS, lingers: false, body };
}
