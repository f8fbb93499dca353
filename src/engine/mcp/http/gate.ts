import type { IncomingMessage } from 'node:http';
import {
  getOAuthProtectedResourceMetadataUrl,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  validateHostHeader,
  validateOriginHeader,
} from '@modelcontextprotocol/server';
import { clientNetworkOf, networkList } from '../../listener/listen.js';
import { RateLimiter } from '../../listener/rate-limiter.js';
import type { Clock } from '../../support/context.js';
import { urlHost } from '../../support/network.js';
import { type McpToken, TOKEN_SCOPES, withHash } from '../tokens/token-store.js';
import type { HttpSettings } from './http-settings.js';

export const ENDPOINT = '/mcp';

/** Who a request is from, by its token. */
export type Holder = Omit<McpToken, 'createdAt' | 'expiresAt'>;

/** How a request is handled. */
export type GateDecision =
  | { readonly kind: 'served'; readonly holder: Holder }
  | {
      readonly kind: 'answered';
      readonly response: Response;
      readonly holder: Holder | undefined;
    };

/** The parts of a request that are checked before its body is read. */
export interface RequestHead {
  readonly method: string;
  /** Without query. */
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly headersDistinct: IncomingMessage['headersDistinct'];
  /** Address of the connection: the client or its proxy. */
  readonly peer: string;
  /** Address of the server's end of the connection. */
  readonly localAddress: string;
  /** Address of the client. */
  readonly client: string;
}

interface GateOptions {
  readonly settings: HttpSettings;
  /** With the actual port. */
  readonly url: string;
  /** Of all tokens that are valid now. */
  readonly holders: () => readonly Holder[];
  readonly clock: Clock;
}

const METADATA_PATH = '/.well-known/oauth-protected-resource';

/**
 * Decides which requests are served. A web page can make a browser send requests here with its own
 * host name (DNS rebinding); `Host` and `Origin` reveal that.
 */
export class Gate {
  private readonly options: GateOptions;
  private readonly rates = new RateLimiter();
  private readonly isProxy: (address: string) => boolean;
  /** The address of the protocol, as clients know it. */
  private readonly resource: URL;

  constructor(options: GateOptions) {
    this.options = options;
    const { settings, url } = options;
    this.isProxy = networkList(settings.address.trustedProxies);
    this.resource = new URL(ENDPOINT, settings.publicOrigin ?? url);
  }

  decide(head: RequestHead): GateDecision {
    const fault = this.faultOf(head);
    if (fault !== undefined) return refused(403, fault);
    if (this.isPreflight(head)) {
      return { kind: 'answered', response: new Response(null, { status: 204 }), holder: undefined };
    }
    const holder = this.holderOf(head);
    const waitSeconds = this.isRemote ? this.admit(head, holder) : 0;
    if (waitSeconds > 0) {
      const headers = { 'retry-after': String(waitSeconds) };
      return refused(429, 'too many requests; wait before the next one', { headers, holder });
    }
    if (head.path === METADATA_PATH || head.path === `${METADATA_PATH}${ENDPOINT}`) {
      return { kind: 'answered', response: this.metadata(head), holder };
    }
    if (holder === undefined) return this.unauthorized(head);
    if (head.path !== ENDPOINT) return refused(404, `not found; use ${ENDPOINT}`, { holder });
    return { kind: 'served', holder };
  }

  /** The headers that let an allowed web page read the answer. */
  crossOriginHeaders({ headers }: RequestHead): Readonly<Record<string, string>> {
    const { origin } = headers;
    if (origin === undefined || !this.allows(origin)) return {};
    const requestedHeaders = headers['access-control-request-headers'];
    return {
      'access-control-allow-origin': origin,
      vary: 'Origin',
      'access-control-expose-headers': 'mcp-session-id, www-authenticate, retry-after',
      ...(requestedHeaders === undefined
        ? {}
        : {
            'access-control-allow-headers': requestedHeaders,
            'access-control-allow-methods': 'GET, POST, DELETE',
            'access-control-max-age': '600',
          }),
    };
  }

  /** Whether clients on other machines can connect. */
  private get isRemote(): boolean {
    return this.options.settings.publicOrigin !== undefined;
  }

  private allows(origin: string): boolean {
    return this.options.settings.allowedOrigins.includes(origin);
  }

  /** A browser asks whether an allowed page can send a request; it sends no token yet. */
  private isPreflight({ method, headers }: RequestHead): boolean {
    const { origin } = headers;
    if (method !== 'OPTIONS' || origin === undefined || !this.allows(origin)) return false;
    return headers['access-control-request-method'] !== undefined;
  }

  /** Why the request is refused, whatever its token. */
  private faultOf({ headers, peer, localAddress }: RequestHead): string | undefined {
    const { host, origin } = headers;
    const { tls } = this.options.settings.address;
    const isFromPage = origin !== undefined && !this.allows(origin);
    if (!this.isRemote) {
      if (!validateHostHeader(host, localhostAllowedHostnames()).ok) {
        return 'this server must be addressed as 127.0.0.1 or localhost';
      }
      const isLocalPage = validateOriginHeader(origin, localhostAllowedOrigins()).ok;
      return isFromPage && !isLocalPage ? 'requests from web pages are not allowed' : undefined;
    }
    if (tls === undefined && !this.isProxy(peer)) {
      return 'this server accepts connections only from its proxy';
    }
    const scheme = headers['x-forwarded-proto'] ?? 'https';
    if (tls === undefined && scheme !== 'https') return 'use https';
    // A name that an attacker controls leads here; an address cannot be rebound.
    // An IPv4 address on a socket for both can be written as an IPv6 one.
    const own = urlHost(localAddress.replace(/^::ffff:(?=\d+\.)/u, ''));
    const names = [this.resource.hostname, own, ...localhostAllowedHostnames()];
    if (!validateHostHeader(host, names).ok) {
      return `this server must be addressed as ${this.resource.host}`;
    }
    return isFromPage ? 'requests from this web page are not allowed' : undefined;
  }

  private holderOf({ headers, headersDistinct }: RequestHead): Holder | undefined {
    // Of several, a proxy could have checked another than the one that Node.js takes.
    if ((headersDistinct['authorization']?.length ?? 0) > 1) return undefined;
    const value = bearerOf(headers.authorization);
    return value === undefined ? undefined : withHash(this.options.holders(), value);
  }

  /** @returns the seconds to wait; 0 if the request is admitted */
  private admit({ client }: RequestHead, holder: Holder | undefined): number {
    const { settings, clock } = this.options;
    const keys = [
      `client ${clientNetworkOf(client)}`,
      ...(holder === undefined ? [] : [`token ${holder.hash}`]),
    ];
    const nowMs = clock.now();
    return Math.max(...keys.map((key) => this.rates.admit(key, nowMs, settings.limits)));
  }

  /** Also for a request whose token was revoked while its body arrived. */
  unauthorized({ headers }: RequestHead) {
    const challenge = [
      `resource_metadata="${getOAuthProtectedResourceMetadataUrl(this.resource)}"`,
      ...(headers.authorization === undefined ? [] : ['error="invalid_token"']),
    ].join(', ');
    return refused(401, 'the bearer token is missing or wrong', {
      headers: { 'www-authenticate': `Bearer ${challenge}` },
    });
  }

  /** RFC 9728. Tokens come from whoever runs the server, so there is no authorization server. */
  private metadata({ method }: RequestHead): Response {
    if (method !== 'GET' && method !== 'HEAD') {
      return new Response(null, { status: 405, headers: { allow: 'GET, HEAD' } });
    }
    return Response.json(
      {
        resource: this.resource.href,
        resource_name: 'svc memory',
        bearer_methods_supported: ['header'],
        scopes_supported: TOKEN_SCOPES,
      },
      { headers: { 'access-control-allow-origin': '*' } },
    );
  }
}

function bearerOf(authorization: string | undefined): string | undefined {
  return /^Bearer +(?<token>\S+) *$/iu.exec(authorization ?? '')?.groups?.['token'];
}

function refused(
  status: number,
  message: string,
  {
    headers,
    holder,
  }: {
    readonly headers?: Readonly<Record<string, string>>;
    readonly holder?: Holder | undefined;
  } = {},
) {
  const body = { jsonrpc: '2.0', error: { code: -32_000, message }, id: null };
  const response = Response.json(body, { status, ...(headers === undefined ? {} : { headers }) });
  return { kind: 'answered', response, holder } as const;
}
