import type { JsonObject } from '../flow-model/fields.js';
import type { FlowAnswer, FlowRejection } from '../flows/index.js';

interface RejectionKind {
  readonly status: number;
  /** The default message. */
  readonly error: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The rest of the body is not read. */
  readonly lingers?: true;
}

/** Seconds until a retry, where nothing better is known. */
const RETRY_SOON = '1';
/** How long a restart takes, in seconds. */
const RETRY_AFTER_RESTART = '5';

/** Rejections by the listener itself. */
export const REQUEST_REJECTIONS = {
  draining: {
    status: 503,
    error: 'The service is stopping.',
    headers: { 'retry-after': RETRY_AFTER_RESTART },
  },
  forbidden: { status: 403, error: 'Requests from this address are not allowed.' },
  internal_error: { status: 500, error: 'Something went wrong; see the log of svc.' },
  invalid_request: { status: 400, error: 'The request is not valid.' },
  mapping_failed: { status: 422, error: 'The rule of the route makes no valid action.' },
  method_not_allowed: {
    status: 405,
    error: 'Requests are sent with POST.',
    headers: { allow: 'POST' },
  },
  payload_too_large: { status: 413, error: 'The body is too large.', lingers: true },
  persist_failed: {
    status: 503,
    error: 'The flows are unavailable; nothing was done.',
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
  unmatched: { status: 422, error: 'No rule of the route matches.' },
  unsupported_media_type: {
    status: 415,
    error: 'The body must be application/json in UTF-8, not compressed.',
  },
} as const satisfies Readonly<Record<string, RejectionKind>>;

/** Why a request on a known route was rejected before its action. */
export type RequestRejection = keyof typeof REQUEST_REJECTIONS;

/** The code of an answer with `ok: false`. */
export type RejectionCode = RequestRejection | FlowRejection;

/** The status of an action that flows refused (facts §2.4). */
export const REFUSAL_STATUSES: Readonly<Record<FlowRejection, number>> = {
  not_found: 404,
  not_managed: 409,
  terminal: 409,
  cancel_requested: 409,
  revision_conflict: 409,
  create_rejected: 409,
  mutation_rejected: 409,
  task_not_created: 409,
  idempotency_mismatch: 422,
  delivery_mismatch: 409,
};

export interface WebhookAnswer {
  readonly status: number;
  /** Null for an action that was performed. */
  readonly code: RejectionCode | null;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the rest of the body is not read. */
  readonly lingers: boolean;
  readonly body: JsonObject;
}

const NO_HEADERS = {};
/** The answer is the one that the first request with this id or key got. */
const REPLAYED = { 'idempotent-replayed': 'true' };

/** Why a request was rejected, in words; null if it was not. */
export function reasonOf({ code, body }: WebhookAnswer): string | null {
  return code === null || typeof body['error'] !== 'string' ? null : body['error'];
}

/** An answer, and the action if the request got that far. */
export interface ActionOutcome {
  readonly answer: WebhookAnswer;
  readonly action: string | null;
}

/** Rejects a request before there is an action. */
export function rejection(
  routeId: string,
  code: RequestRejection,
  overrides: { readonly error?: string; readonly headers?: Readonly<Record<string, string>> } = {},
): ActionOutcome {
  const kind: RejectionKind = REQUEST_REJECTIONS[code];
  const error = overrides.error ?? kind.error;
  const answer = {
    status: kind.status,
    code,
    headers: { ...kind.headers, ...overrides.headers },
    lingers: kind.lingers ?? false,
    body: { ok: false, routeId, code, error, result: {} },
  };
  return { answer, action: null };
}

/** @param acceptedStatus for a flow that is cancelled later */
export function actionAnswer(
  routeId: string,
  answer: FlowAnswer,
  acceptedStatus: number,
): WebhookAnswer {
  const headers = answer.replayed === true ? REPLAYED : NO_HEADERS;
  if (!answer.ok) {
    const { code, error, result } = answer;
    const body = { ok: false, routeId, code, error, result };
    return { status: REFUSAL_STATUSES[code], code, headers, lingers: false, body };
  }
  const { code, result } = answer;
  const body = { ok: true, routeId, ...(code === undefined ? {} : { code }), result };
  const status = code === 'cancel_pending' ? acceptedStatus : 200;
  return { status, code: null, headers, lingers: false, body };
}

/** The answer to a request that asks for no action. */
export function plainAnswer(status: number, body: JsonObject): WebhookAnswer {
  return { status, code: null, headers: NO_HEADERS, lingers: false, body };
}
