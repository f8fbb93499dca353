import http, { type Agent, type ClientRequest } from 'node:http';
import https from 'node:https';
import { isIPv4 } from 'node:net';
import { type AgentConnectOpts, Agent as BaseAgent } from 'agent-base';
import { HttpProxyAgent } from 'http-proxy-agent';
import { HttpsProxyAgent } from 'https-proxy-agent';
import { getProxyForUrl } from 'proxy-from-env';
import { messageOf, networkWords, PROXY_FAULT, systemErrorCode } from '../engine/errors/index.js';
import { isLoopback, isWildcard, urlHost } from '../engine/support/network.js';

/**
 * Sends every outgoing request of this process through the proxy that HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY
 * name, in upper or lower case. Loopback and link-local addresses are reached directly.
 *
 * It replaces Node's global agents, which serve every request that names no agent.
 */
export function routeThroughProxies(): void {
  http.globalAgent = new ProxyChoosingAgent(http.globalAgent);
  // The type of https.globalAgent is narrower than what Node uses of it.
  Object.assign(https, { globalAgent: new ProxyChoosingAgent(https.globalAgent) });
}

/** Passes each request to the agent of its proxy, or to the one that connects directly. */
class ProxyChoosingAgent extends BaseAgent {
  private readonly direct: Agent;
  /** By the proxy's address, so that connections are reused. */
  private readonly proxies = new Map<string, Agent>();

  constructor(direct: Agent) {
    super();
    this.direct = direct;
  }

  override async connect(_request: ClientRequest, options: AgentConnectOpts): Promise<Agent> {
    const { secureEndpoint, port } = options;
    const host = options.host ?? 'localhost';
    // A connection to a wildcard address leads to this machine, too.
    if (isLoopback(host) || isWildcard(host) || isLinkLocal(host)) return this.direct;
    const scheme = secureEndpoint ? 'https' : 'http';
    const url = `${scheme}://${urlHost(host)}:${port ?? ''}`;
    const proxy = httpAddress(getProxyForUrl(url), scheme);
    return proxy === undefined ? this.direct : this.agentOf(proxy, secureEndpoint);
  }

  private agentOf(proxy: string, isSecure: boolean): Agent {
    const known = this.proxies.get(proxy);
    if (known !== undefined) return known;
    if (!isAddress(proxy)) throw proxyFault('the address of the proxy is not valid');
    const agent = isSecure ? new TunnelAgent(proxy, KEPT_ALIVE) : new PlainAgent(proxy, KEPT_ALIVE);
    this.proxies.set(proxy, agent);
    return agent;
  }
}

const KEPT_ALIVE = { keepAlive: true } as const;
const OPEN = 200;
const UNAUTHORIZED = 407;

class TunnelAgent extends HttpsProxyAgent<string> {
  override async connect(...[request, options]: Parameters<HttpsProxyAgent<string>['connect']>) {
    let status = OPEN;
    request.once('proxyConnect', ({ statusCode }: { readonly statusCode: number }) => {
      status = statusCode;
    });
    const socket = await super.connect(request, options).catch(unreachable(this.proxy));
    // The library would present the proxy's answer as the endpoint's. Only a proxy answers this one.
    if (status === OPEN || status === UNAUTHORIZED) return socket;
    socket.destroy();
    throw proxyFault(`the proxy ${this.proxy.host} does not connect (status ${status})`);
  }
}

class PlainAgent extends HttpProxyAgent<string> {
  override connect(...[request, options]: Parameters<HttpProxyAgent<string>['connect']>) {
    return super.connect(request, options).catch(unreachable(this.proxy));
  }
}

/** Whether the library can use an address; it decodes user name and password. */
function isAddress(proxy: string): boolean {
  try {
    const { username, password } = new URL(proxy);
    return decodeURIComponent(username + password) !== undefined;
  } catch {
    return false;
  }
}

function unreachable({ host }: URL) {
  return (error: unknown): never => {
    const { message } = networkWords(systemErrorCode(error) ?? '', messageOf(error));
    throw proxyFault(`the proxy ${host} cannot be reached: ${message}`, error);
  };
}

function proxyFault(message: string, cause?: unknown): Error {
  return Object.assign(new Error(message, { cause }), { code: PROXY_FAULT });
}

/** Cloud machines get their credentials from these addresses; no proxy may see those. */
function isLinkLocal(host: string): boolean {
  return (isIPv4(host) && host.startsWith('169.254.')) || host.toLowerCase() === 'fd00:ec2::254';
}

/**
 * The address of an HTTP proxy; undefined for none, and for other kinds such as SOCKS. An address without a scheme is
 * an HTTP proxy; the library would use the scheme of the request.
 */
function httpAddress(proxy: string, scheme: string): string | undefined {
  const assumed = `${scheme}://`;
  const isWritten = Object.values(process.env).some((value) => value === proxy);
  const withSpaces = !isWritten && proxy.startsWith(assumed) ? proxy.slice(assumed.length) : proxy;
  const written = withSpaces.trim();
  const url = written.includes('://') || written === '' ? written : `http://${written}`;
  return /^https?:/iu.test(url) ? url : undefined;
}
