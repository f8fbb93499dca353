import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { ResolvedWebhooks } from '../config/index.js';
import { type ErrorCode, SvcError } from '../errors/index.js';
import type { Flows } from '../flows/index.js';
import { clientNetworkOf } from '../listener/index.js';
import { actionAnswer, rejection, type WebhookAnswer } from './answers.js';
import { parseBody, type ReadBody, readBody } from './body.js';
import { InFlight, idempotencyOf, isJsonBody, RateLimiter } from './guards.js';
import { readAction } from './read-action.js';
import type { ServedRoute } from './routes.js';

/** What flows throw when a change could not be stored. */
const UNSTORED: ReadonlySet<ErrorCode> = new Set([
  'FLOWS_BUSY',
  'FLOWS_DAMAGED',
  'FLOWS_PERSIST_FAILED',
  'HANDLES_EXHAUSTED',
  'STORAGE_BUSY',
  'STORAGE_FAILED',
  'STORAGE_FULL',
  'STORAGE_NEWER',
  'STORAGE_OUTDATED',
  'STORAGE_REFUSED',
  'STORAGE_UNREACHABLE',
]);

const UNCERTAIN = 'The change may have been stored; repeat the request with its idempotency key.';

/** The limits of every route; see the configuration reference. */
export type WebhookLimits = ResolvedWebhooks['config']['limits'];

/** A request on a known route. */
export interface WebhookRequest {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** Its body has not been read. */
  readonly raw: IncomingMessage;
  /** The client, behind trusted proxies. */
  readonly clientIp: string;
  /** The other end of the connection. */
  readonly remoteAddress: string;
}

export interface PipelineOptions {
  readonly flows: Pick<Flows, 'perform'>;
  /** Milliseconds on a clock that never jumps. */
  readonly now: () => number;
  /** Called when a valid action could not be performed; the client gets a 5xx status. */
  readonly onFailure: (error: unknown) => void;
}

/** An answer, and the action if the request got that far. */
export interface Handled {
  readonly answer: WebhookAnswer;
  readonly action: string | null;
}

/**
 * Takes a request from its method to its action, in the order of facts §2.2: the cheapest checks come first,
 * and no byte of a body is read before the secret is verified.
 */
export class Pipeline {
  private readonly options: PipelineOptions;
  private readonly rates = new RateLimiter();
  private readonly inFlight = new InFlight();

  constructor(options: PipelineOptions) {
    this.options = options;
  }

  /** Never rejects. */
  async handle(
    request: WebhookRequest,
    route: ServedRoute,
    limits: WebhookLimits,
  ): Promise<Handled> {
    if (request.method !== 'POST') return refused(rejection(route.id, 'method_not_allowed'));
    const client = `${route.path}:${clientNetworkOf(request.clientIp)}`;
    const waitSeconds = this.rates.admit(client, this.options.now(), limits);
    if (waitSeconds > 0) {
      const headers = { 'retry-after': String(waitSeconds) };
      return refused(rejection(route.id, 'rate_limited', { headers }));
    }
    if (!isJsonBody(request.headers)) {
      return refused(rejection(route.id, 'unsupported_media_type'));
    }
    const connection = `${route.path}:${clientNetworkOf(request.remoteAddress)}`;
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
    if (error instanceof SvcError && error.code === 'STORAGE_UNCERTAIN') {
      return rejection(route.id, 'persist_failed', { error: UNCERTAIN });
    }
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
