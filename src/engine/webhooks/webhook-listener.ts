import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ListenAddress } from '../config/index.js';
import {
  createHttpServer,
  cutLater,
  JSON_UTF8,
  leaveBodies,
  renewCertificate,
  type UnroutedRequest,
} from '../listener/http-server.js';
import { clientAddressOf, listenOn } from '../listener/listen.js';
import type { AccessedRequest, AnsweredRequest } from './answer-log.js';
import { reasonOf, rejection } from './answers.js';
import type { WebhookLimits } from './body.js';
import type { Pipeline, RequestOutcome } from './pipeline.js';
import type { RouteFinder, ServedRoute } from './routes.js';

/** What a reload replaces. */
export interface ReloadableOptions {
  readonly findRoute: RouteFinder;
  readonly limits: WebhookLimits;
}

interface ListenerOptions extends ReloadableOptions {
  readonly address: ListenAddress;
  readonly log: FastifyBaseLogger;
  readonly pipeline: Pick<Pipeline, 'handle'>;
  /** Called with each answer; must not throw. */
  readonly onAnswered: (answered: AnsweredRequest, received: ReceivedRequest) => void;
  /** Called with each answer that no route gave. */
  readonly onFault: (request: UnroutedRequest) => void;
  /** Called with each request that is on no route, such as for health; not at all if undefined. */
  readonly onOther?: ((request: AccessedRequest) => void) | undefined;
  readonly patience?: ClientPatience | undefined;
  /** Adds endpoints that are not routes: health, metrics. */
  readonly extend?: ((server: FastifyInstance) => void) | undefined;
}

/** A request as it was received, and what became of it. */
interface ReceivedRequest {
  readonly route: ServedRoute;
  readonly headers: IncomingHttpHeaders;
  readonly handled: RequestOutcome;
}

interface HandledRequest extends Pick<ReceivedRequest, 'handled' | 'route'> {
  /** On the clock of `performance.now`. */
  readonly startedMs: number;
}

/** How long a request of a client that was just answered takes to arrive. */
const ON_THEIR_WAY_MS = 100;

/** The HTTP side of all routes. */
export class WebhookListener {
  private readonly options: ListenerOptions;
  private readonly server: FastifyInstance;
  private reloadable: ReloadableOptions;
  private active = 0;
  private isDraining = false;
  private readonly onIdle = new Set<() => void>();

  /** @throws the system's error when the certificate cannot be read */
  constructor(options: ListenerOptions) {
    this.options = options;
    this.reloadable = options;
    this.server = createServer(options);
    if (options.onOther !== undefined) addAccessHook(this.server, options.onOther);
    options.extend?.(this.server);
    this.server.route({
      method: [...this.server.supportedMethods],
      url: ANY_URL,
      handler: (request, reply) => this.onRequest(request, reply),
    });
  }

  /** Requests on known routes in flight. */
  get requestsInFlight(): number {
    return this.active;
  }

  /**
   * Starts to listen.
   *
   * @param onError called if the listening socket fails later
   * @returns the address
   * @throws SvcError LISTEN_FAILED
   */
  async listen(onError: (error: unknown) => void): Promise<string> {
    const url = await listenOn(this.server, this.options.address);
    this.server.server.on('error', onError);
    return url;
  }

  /** For new requests; those in flight keep what they started with. */
  replace(served: ReloadableOptions): void {
    this.reloadable = served;
    const { server } = this.server;
    const timeoutMs = requestTimeoutMs(served.limits, this.options.patience);
    // Never shorter while it listens: a request in flight keeps its time.
    server.requestTimeout = Math.max(server.requestTimeout, timeoutMs);
  }

  /** Loads a renewed certificate. @throws if it cannot be read or used */
  renewCertificate(): void {
    renewCertificate(this.server, this.options.address);
  }

  /**
   * Answers new requests with 503; resolves when those in flight are answered, and those that were on their way: closing
   * their connections would reset them, and the clients could not know what became of their requests.
   */
  async drain(): Promise<void> {
    this.isDraining = true;
    await this.idle();
    const { server } = this.server;
    if ((await promisify(server.getConnections).call(server)) === 0) return;
    await sleep(ON_THEIR_WAY_MS);
    await this.idle();
  }

  private async idle(): Promise<void> {
    if (this.active > 0) await new Promise<void>((resolve) => this.onIdle.add(resolve));
  }

  /** Closes every connection. */
  async close(): Promise<void> {
    await this.server.close();
  }

  private onRequest(request: FastifyRequest, reply: FastifyReply): void {
    const { raw } = request;
    const { findRoute, limits } = this.reloadable;
    const route = findRoute(raw.url ?? '');
    if (route === undefined) {
      reply.callNotFound();
      return;
    }
    const startedMs = performance.now();
    const oneEnded = this.begin();
    reply.raw.once('close', oneEnded);
    void this.handle(request, route, limits)
      .then((handled) => this.answer(request, reply, { route, handled, startedMs }))
      .catch((error: unknown) => {
        const fields = { err: error, route: route.id, requestId: request.id };
        this.options.log.error(fields, 'could not be answered');
        if (reply.sent) return;
        const handled = rejection(route.id, 'internal_error');
        this.answer(request, reply, { route, handled, startedMs });
      })
      .finally(oneEnded);
  }

  private async handle(
    request: FastifyRequest,
    route: ServedRoute,
    limits: WebhookLimits,
  ): Promise<RequestOutcome> {
    if (this.isDraining) return rejection(route.id, 'draining');
    const { raw, id: requestId } = request;
    const received = { requestId, raw, clientIp: clientAddressOf(request) };
    return this.options.pipeline.handle(received, route, limits);
  }

  private answer(
    request: FastifyRequest,
    reply: FastifyReply,
    { route, handled, startedMs }: HandledRequest,
  ): void {
    const { answer, action, missing } = handled;
    const { status, code, headers, lingers, body } = answer;
    // An answer too large for a string throws here, before anything is sent.
    const text = JSON.stringify(body);
    // The next request would meet a connection that is being closed.
    if (this.isDraining) reply.header('connection', 'close');
    reply.code(status).headers(headers).type(JSON_UTF8).send(text);
    const { raw } = request;
    if (lingers && !raw.complete) raw.once('end', cutLater(raw.socket));
    const answered = {
      routeId: route.id,
      requestId: request.id,
      method: request.method,
      status,
      code,
      action,
      clientIp: clientAddressOf(request),
      ms: performance.now() - startedMs,
      bytes: Buffer.byteLength(text),
      reason: reasonOf(answer),
      missing,
    };
    this.options.onAnswered(answered, { route, headers: request.headers, handled });
  }

  /**
   * Counts a request as in flight until its action is done and its response is sent or its connection closed.
   *
   * @returns to be called at the end of either
   */
  private begin(): () => void {
    let open = 2;
    this.active += 1;
    return () => {
      open -= 1;
      if (open > 0) return;
      this.active -= 1;
      if (this.active > 0) return;
      for (const resolve of this.onIdle) resolve();
      this.onIdle.clear();
    };
  }
}

/** The URL of the route that answers all webhooks. */
const ANY_URL = '*';

function addAccessHook(
  server: FastifyInstance,
  onOther: NonNullable<ListenerOptions['onOther']>,
): void {
  server.addHook('onResponse', (request, reply, done) => {
    done();
    const { routeOptions, id: requestId, method, raw } = request;
    // Webhooks are reported where they are answered.
    if (routeOptions.url === ANY_URL && !request.is404) return;
    onOther({
      method,
      path: raw.url,
      status: reply.statusCode,
      ms: reply.elapsedTime,
      bytes: Number(reply.getHeader('content-length') ?? 0),
      clientIp: clientAddressOf(request),
      requestId,
    });
  });
}

/** How long clients can take, in milliseconds. */
export interface ClientPatience {
  /** Until a connection without complete headers is closed. */
  readonly headersMs: number;
  /** How often that is checked. */
  readonly checkEveryMs: number;
  /** On top of the time for headers and body, until an unfinished request is cut off. */
  readonly spareMs: number;
}

/** Long enough for any network, short enough against idle attackers. */
export const CLIENT_PATIENCE: ClientPatience = {
  headersMs: 10_000,
  checkEveryMs: 2000,
  spareMs: 5000,
};

/** Longer than proxies keep idle connections, so that none uses a closing one. */
const KEEP_ALIVE_MS = 72_000;

/** Leaves bodies alone: whoever handles a request decides whether it is read. */
function createServer({
  address,
  log,
  limits,
  onFault,
  patience,
}: ListenerOptions): FastifyInstance {
  const { headersMs, checkEveryMs } = patience ?? CLIENT_PATIENCE;
  const server = createHttpServer({
    address,
    log,
    onFault,
    node: { headersTimeout: headersMs, connectionsCheckingInterval: checkEveryMs },
    requestTimeout: requestTimeoutMs(limits, patience),
    keepAliveTimeout: KEEP_ALIVE_MS,
    // While closing, routes still answer themselves; see the pipeline.
    return503OnClosing: false,
  });
  // Only the listener itself logs a request.
  server.setChildLoggerFactory((logger) => logger);
  leaveBodies(server);
  return server;
}

/** When a request is cut off whose body nobody reads. */
function requestTimeoutMs(
  { bodyTimeoutSeconds }: WebhookLimits,
  { headersMs, spareMs }: ClientPatience = CLIENT_PATIENCE,
): number {
  return headersMs + bodyTimeoutSeconds * 1000 + spareMs;
}
