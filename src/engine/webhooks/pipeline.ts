import type { IncomingMessage } from 'node:http';
import { type ErrorCode, SvcError } from '../errors/index.js';
import { type Flows, UNSTORABLE } from '../flows/index.js';
import { clientNetworkOf } from '../listener/listen.js';
import { RateLimiter } from '../listener/rate-limiter.js';
import type { Clock } from '../support/context.js';
import { type ActionOutcome, actionAnswer, plainAnswer, rejection } from './answers.js';
import { readBody, typeFault, type WebhookLimits } from './body.js';
import { type RequestIntent, readIntent } from './map/request-intent.js';
import type { Receiver, ServedRoute } from './routes.js';

/** What flows throw when a change could not be stored. */
const UNSTORED: ReadonlySet<ErrorCode> = new Set([
  ...UNSTORABLE,
  'HANDLES_EXHAUSTED',
  'STORAGE_BUSY',
]);

/** The same, where it may have been stored after all. */
const UNCERTAIN: ReadonlySet<ErrorCode> = new Set(['FLOWS_UNCERTAIN', 'STORAGE_UNCERTAIN']);

const MAYBE_STORED =
  'The change may have been stored; repeat the request with its idempotency key.';

/** A request on a known route. */
export interface WebhookRequest {
  readonly requestId: string;
  /** Its body has not been read. */
  readonly raw: IncomingMessage;
  /** The client, behind trusted proxies. */
  readonly clientIp: string;
}

export interface PipelineOptions {
  readonly flows: Pick<Flows, 'perform'>;
  /** Milliseconds on a clock that never jumps. */
  readonly now: () => number;
  /** For the times that senders sign. */
  readonly clock: Clock;
  /** Called when a valid action could not be performed; the client gets a 5xx status. */
  readonly onFailure: (error: unknown, request: FailedRequest) => void;
}

/** The request that an error is about. */
export interface FailedRequest {
  readonly route: string;
  readonly requestId: string;
}

/** A delivery whose sender is known. */
export interface VerifiedDelivery {
  readonly body: Buffer;
  readonly event: string | undefined;
  /** The id that its sender gave it. */
  readonly id: string | undefined;
}

/** How a request was answered. */
export interface RequestOutcome extends ActionOutcome {
  /** Undefined if the request was refused before its sender was known. */
  readonly delivery?: VerifiedDelivery | undefined;
  /** The header that would have proved the sender. */
  readonly missing?: string | undefined;
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

  async handle(
    request: WebhookRequest,
    route: ServedRoute,
    limits: WebhookLimits,
  ): Promise<RequestOutcome> {
    const { method, headers, socket } = request.raw;
    if (method !== 'POST') return rejection(route.id, 'method_not_allowed');
    if (route.isAllowed?.(request.clientIp) === false) return rejection(route.id, 'forbidden');
    const client = `${route.path}:${clientNetworkOf(request.clientIp)}`;
    const waitSeconds = this.rates.admit(client, this.options.now(), limits);
    if (waitSeconds > 0) {
      const retryAfter = { 'retry-after': String(waitSeconds) };
      return rejection(route.id, 'rate_limited', { headers: retryAfter });
    }
    const error = typeFault(headers, route.rules !== undefined);
    if (error !== undefined) return rejection(route.id, 'unsupported_media_type', { error });
    const connection = `${route.path}:${clientNetworkOf(socket.remoteAddress ?? '')}`;
    if (!this.inFlight.enter(connection, limits)) return rejection(route.id, 'too_many_in_flight');
    try {
      return await this.handleAdmitted(request, route, limits);
    } finally {
      this.inFlight.leave(connection);
    }
  }

  private async handleAdmitted(
    request: WebhookRequest,
    route: ServedRoute,
    limits: WebhookLimits,
  ): Promise<RequestOutcome> {
    const { raw } = request;
    const check = route.verifier.checkHead(raw, this.options.clock.now());
    if (!check.ok) return { ...unauthorized(route, check.error), missing: check.missing };
    const body = await readBody(raw, limits);
    if (!Buffer.isBuffer(body)) return rejection(route.id, body.code, body);
    const fault = check.checkBody(body);
    if (fault !== undefined) return unauthorized(route, fault);
    const intent = readIntent(route, raw, body);
    const { event, deliveryId: id } = intent;
    const delivery = { body, event, id };
    try {
      return { ...(await answerVerified(intent, route, this.options.flows)), delivery };
    } catch (error) {
      return { ...this.failure(request, route, error), delivery };
    }
  }

  private failure(
    { requestId }: WebhookRequest,
    route: ServedRoute,
    error: unknown,
  ): ActionOutcome {
    this.options.onFailure(error, { route: route.id, requestId });
    if (!(error instanceof SvcError)) return rejection(route.id, 'internal_error');
    if (UNCERTAIN.has(error.code)) {
      return rejection(route.id, 'persist_failed', { error: MAYBE_STORED });
    }
    return rejection(route.id, UNSTORED.has(error.code) ? 'persist_failed' : 'internal_error');
  }
}

function unauthorized({ id, verifier }: ServedRoute, error: string): RequestOutcome {
  const headers = { 'www-authenticate': verifier.authenticate };
  return rejection(id, 'unauthorized', { error, headers });
}

/**
 * Performs what a verified request asks for: the same for a delivery and for its replay.
 *
 * @throws what flows throw when a change could not be stored
 */
export async function answerVerified(
  intent: RequestIntent,
  { id, caller, acceptedStatus }: Receiver,
  flows: Pick<Flows, 'perform'>,
): Promise<ActionOutcome> {
  switch (intent.type) {
    case 'refused':
      return rejection(id, intent.code, { error: intent.error });
    case 'challenge': {
      const body = { [intent.field]: intent.text };
      return { answer: plainAnswer(200, body), action: 'challenge' };
    }
    case 'ping':
    case 'ignored': {
      const code = intent.type;
      const body = { ok: true, routeId: id, code, result: {} };
      return { answer: plainAnswer(code === 'ping' ? 200 : acceptedStatus, body), action: code };
    }
    case 'action': {
      const { action, idempotency } = intent;
      const answer = await flows.perform(action, caller, idempotency);
      return { answer: actionAnswer(id, answer, acceptedStatus), action: action.action };
    }
  }
}

/** Counts requests in flight. */
export class InFlight {
  private readonly counts = new Map<string, number>();

  /** How many clients have requests in flight. */
  get size(): number {
    return this.counts.size;
  }

  /**
   * False if the limit is reached, or as many other clients as are tracked have requests in flight; otherwise call
   * {@link leave} at the end.
   */
  enter(key: string, limits: Pick<WebhookLimits, 'inFlight' | 'trackedClients'>): boolean {
    const count = this.counts.get(key) ?? 0;
    if (count >= limits.inFlight) return false;
    if (count === 0 && this.counts.size >= limits.trackedClients) return false;
    this.counts.set(key, count + 1);
    return true;
  }

  leave(key: string): void {
    const count = this.counts.get(key) ?? 0;
    if (count <= 1) this.counts.delete(key);
    else this.counts.set(key, count - 1);
  }
}
