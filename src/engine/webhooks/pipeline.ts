import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { ResolvedWebhooks } from '../config/index.js';
import { type ErrorCode, SvcError } from '../errors/index.js';
import type { Flows } from '../flows/index.js';
import { readAction } from './actions/read-action.js';
import { actionAnswer, rejection, type WebhookAnswer } from './answers.js';
import { idempotencyOf } from './body/idempotency-key.js';
import { parseBody } from './body/parse-body.js';
import { type ReadBody, readBody } from './body/read-body.js';
import { isJsonBody } from './guards/content-type.js';
import { InFlight } from './guards/in-flight.js';
import { RateLimiter } from './guards/rate-limiter.js';
import type { ServedRoute } from './routes/served-route.js';

/** What flows throw when nothing was done because nothing could be stored. */
const UNSTORED: ReadonlySet<ErrorCode> = new Set([
  'FLOWS_BUSY',
  'FLOWS_DAMAGED',
  'FLOWS_PERSIST_FAILED',
  'HANDLES_EXHAUSTED',
]);

/** The guards of every route; see the configuration reference. */
export type WebhookLimits = ResolvedWebhooks['config']['limits'];

/** A request on a known route. */
export interface WebhookRequest {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** Its body has not been read. */
  readonly raw: IncomingMessage;
  /** Who sent it, behind proxies that are believed. */
  readonly clientIp: string;
  /** Who is connected. */
  readonly remoteAddress: string;
}

/** What the pipeline is made of. */
export interface PipelineOptions {
  readonly flows: Pick<Flows, 'perform'>;
  /** Milliseconds on a clock that is not set back. */
  readonly now: () => number;
  /** Told why an action that was in order could not be performed; the client gets a status of 5xx. */
  readonly onFailure: (error: unknown) => void;
}

/** What a client gets, and what was asked for where it came to that. */
export interface Handled {
  readonly answer: WebhookAnswer;
  readonly action: string | null;
}

/**
 * The way of a request from its method to its action, in the order of facts §2.2: what costs least is
 * refused first, and nothing of a body is read before the secret is right.
 */
export class Pipeline {
  private readonly options: PipelineOptions;
  private readonly rates = new RateLimiter();
  private readonly inFlight = new InFlight();

  constructor(options: PipelineOptions) {
    this.options = options;
  }

  /** Answers in every case. */
  async handle(
    request: WebhookRequest,
    route: ServedRoute,
    limits: WebhookLimits,
  ): Promise<Handled> {
    if (request.method !== 'POST') return refused(rejection(route.id, 'method_not_allowed'));
    const client = `${route.path}:${request.clientIp}`;
    const waitSeconds = this.rates.admit(client, this.options.now(), limits);
    if (waitSeconds > 0) {
      const headers = { 'retry-after': String(waitSeconds) };
      return refused(rejection(route.id, 'rate_limited', { headers }));
    }
    if (!isJsonBody(request.headers)) {
      return refused(rejection(route.id, 'unsupported_media_type'));
    }
    const connection = `${route.path}:${request.remoteAddress}`;
    if (!this.inFlight.enter(connection, limits)) {
      return refused(rejection(route.id, 'too_many_in_flight'));
    }
    try {
      return await this.admitted(request, route, limits);
    } catch (error) {
      return refused(this.failed(route, error));
    } finally {
      this.inFlight.leave(connection);
    }
  }

  private async admitted(
    request: WebhookRequest,
    route: ServedRoute,
    limits: WebhookLimits,
  ): Promise<Handled> {
    const { headers, raw } = request;
    if (!route.secret.isCarriedBy(headers)) return refused(rejection(route.id, 'unauthorized'));
    const body = await readBody(raw, limits);
    if (body.type !== 'read') return refused(unread(route, body));
    const parsed = parseBody(body.bytes);
    if (!parsed.ok) return refused(rejection(route.id, 'invalid_request', { error: parsed.error }));
    const read = readAction(parsed.value);
    if (!read.ok) return refused(rejection(route.id, 'invalid_request', { error: read.error }));
    const idempotency = idempotencyOf(headers, read.action);
    if (idempotency === 'invalid') {
      const error = 'Idempotency-Key: must be 1 to 255 visible ASCII characters';
      return refused(rejection(route.id, 'invalid_request', { error }));
    }
    const answer = await this.options.flows.perform(read.action, route.caller, idempotency);
    return { answer: actionAnswer(route.id, answer), action: read.action.action };
  }

  private failed(route: ServedRoute, error: unknown): WebhookAnswer {
    this.options.onFailure(error);
    const isUnstored = error instanceof SvcError && UNSTORED.has(error.code);
    return rejection(route.id, isUnstored ? 'persist_failed' : 'internal_error');
  }
}

function refused(answer: WebhookAnswer): Handled {
  return { answer, action: null };
}

function unread(route: ServedRoute, body: Exclude<ReadBody, { type: 'read' }>): WebhookAnswer {
  switch (body.type) {
    case 'too_large':
      return rejection(route.id, 'payload_too_large');
    case 'too_slow':
      return rejection(route.id, 'request_timeout');
    case 'closed':
      return rejection(route.id, 'invalid_request', { error: 'body: the connection was closed' });
  }
}
