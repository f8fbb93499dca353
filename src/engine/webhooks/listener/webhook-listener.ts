import { Server as TlsServer } from 'node:tls';
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ListenAddress } from '../../config/listen-address.js';
import { listenOn } from '../../listen.js';
import { rejection } from '../answers.js';
import type { Handled, Pipeline, WebhookLimits } from '../pipeline.js';
import type { RouteTable } from '../routes/route-table.js';
import type { ServedRoute } from '../routes/served-route.js';
import type { OnAnswered } from './answered.js';
import {
  type ClientPatience,
  createServer,
  readCertificate,
  sendNotFound,
} from './create-server.js';

/** The routes that are served, and how they are guarded: what a reload replaces. */
export interface Served {
  readonly routes: RouteTable;
  readonly limits: WebhookLimits;
}

/** What the listener is made of. */
export interface ListenerOptions extends Served {
  readonly address: ListenAddress;
  readonly log: FastifyBaseLogger;
  readonly pipeline: Pipeline;
  readonly onAnswered: OnAnswered;
  readonly patience?: ClientPatience | undefined;
  /** Adds what is not a route: health, metrics. */
  readonly extend?: ((server: FastifyInstance) => void) | undefined;
}

const JSON_UTF8 = 'application/json; charset=utf-8';

/** How long the rest of a refused body may take before its connection is cut. */
const LINGER_MS = 2000;

/** The HTTP side of all routes. Made, started, perhaps changed, drained, closed. */
export class WebhookListener {
  private readonly options: ListenerOptions;
  private readonly server: FastifyInstance;
  private served: Served;
  private active = 0;
  private isDraining = false;
  /** Those that wait until nothing is under way. */
  private readonly onIdle = new Set<() => void>();

  /** @throws the system's error when the certificate cannot be read */
  constructor(options: ListenerOptions) {
    const { address, log, limits, extend, patience } = options;
    this.options = options;
    this.served = options;
    const { bodyTimeoutSeconds } = limits;
    this.server = createServer({ address, log, bodyTimeoutSeconds, patience });
    extend?.(this.server);
    this.server.route({
      method: [...this.server.supportedMethods],
      url: '*',
      handler: (request, reply) => this.onRequest(request, reply),
    });
  }

  /** Requests on known routes that are not answered to the end. */
  get underWay(): number {
    return this.active;
  }

  /**
   * Begins to listen.
   *
   * @param onError told when the listening socket fails later on
   * @returns the address
   * @throws SvcError LISTEN_FAILED
   */
  async listen(onError: (error: unknown) => void): Promise<string> {
    const url = await listenOn(this.server, this.options.address);
    this.server.server.on('error', onError);
    return url;
  }

  /** Serves these from the next request on; those under way keep what they began with. */
  replace(served: Served): void {
    this.served = served;
  }

  /** Takes a certificate that was renewed where it lies. @throws when it cannot be read or used */
  renewCertificate(): void {
    const { tls } = this.options.address;
    const { server } = this.server;
    if (tls !== undefined && server instanceof TlsServer) {
      server.setSecureContext(readCertificate(tls));
    }
  }

  /** Answers new requests with 503; resolves when those under way have their answer. */
  async drain(): Promise<void> {
    this.isDraining = true;
    if (this.active === 0) return;
    await new Promise<void>((resolve) => this.onIdle.add(resolve));
  }

  /** Closes every connection. */
  async close(): Promise<void> {
    await this.server.close();
  }

  private onRequest(request: FastifyRequest, reply: FastifyReply): void {
    const { raw } = request;
    const { routes, limits } = this.served;
    const route = routes.find(raw.url ?? '');
    if (route === undefined) {
      sendNotFound(reply);
      return;
    }
    const startedMs = performance.now();
    const oneEnded = this.begin();
    reply.raw.once('close', oneEnded);
    void this.handle(request, route, limits)
      .then((handled) => this.answer(request, reply, route, handled, startedMs))
      .catch((error: unknown) => this.options.log.error({ err: error }, 'could not be answered'))
      .finally(oneEnded);
  }

  private handle(
    request: FastifyRequest,
    route: ServedRoute,
    limits: WebhookLimits,
  ): Promise<Handled> {
    if (this.isDraining) {
      return Promise.resolve({ answer: rejection(route.id, 'draining'), action: null });
    }
    const { raw, headers, ip: clientIp, method } = request;
    const remoteAddress = raw.socket.remoteAddress ?? '';
    return this.options.pipeline.handle(
      { raw, headers, method, clientIp, remoteAddress },
      route,
      limits,
    );
  }

  private answer(
    request: FastifyRequest,
    reply: FastifyReply,
    route: ServedRoute,
    { answer, action }: Handled,
    startedMs: number,
  ): void {
    const { status, code, headers, lingers, body } = answer;
    reply.code(status).headers(headers).type(JSON_UTF8).send(JSON.stringify(body));
    if (lingers) cutLater(request);
    this.options.onAnswered({
      routeId: route.id,
      requestId: request.id,
      status,
      code,
      action,
      clientIp: request.ip,
      ms: performance.now() - startedMs,
    });
  }

  /**
   * Counts a request as under way until its action was performed and its response has left, or has
   * nobody to go to.
   *
   * @returns called when either has come to its end
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

/**
 * Gives a client that still sends some time to read why it need not, then cuts the connection. Closing
 * at once would reset it, and the answer would be lost with it.
 */
function cutLater({ raw }: FastifyRequest): void {
  if (raw.complete) return;
  const timer = setTimeout(() => raw.socket.destroy(), LINGER_MS);
  raw.once('end', () => clearTimeout(timer)).once('close', () => clearTimeout(timer));
}
