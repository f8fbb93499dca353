import { gatewayAddress, type LoadedConfig } from '../config/index.js';
import { SvcError } from '../errors/index.js';
import type { EngineContext } from '../support/context.js';
import { isWildcard, urlHost } from '../support/network.js';
import { iso } from '../support/time.js';
import {
  type LastAnswer,
  type RoutesOutput,
  readActivity,
  resolveRoutes,
} from '../webhooks/index.js';
import { runningServeState } from './instance-lock.js';
import { WEBHOOKS_SERVICE } from './services/webhooks-service.js';

function runningListenerUrl(stateDir: string): string | null {
  const services = runningServeState(stateDir)?.services ?? [];
  return services.find(({ name }) => name === WEBHOOKS_SERVICE)?.url ?? null;
}

/**
 * The base URL for requests: of the running listener, or of the configured one. A wildcard address is
 * replaced by the loopback address.
 *
 * @throws SvcError USAGE for an IPv6 address with a zone, which no URL can contain
 */
export function listenerUrl(loaded: LoadedConfig, context: EngineContext): string {
  const running = runningListenerUrl(context.state.stateDir);
  if (running !== null) return reachableUrl(running);
  const { host, port, tls } = gatewayAddress(loaded, context);
  return reachableUrl(`${tls === undefined ? 'http' : 'https'}://${urlHost(host)}:${port}`);
}

function reachableUrl(url: string): string {
  if (!URL.canParse(url)) {
    throw new SvcError('USAGE', `no URL can be made of ${url}, whose address has a zone`, {
      hint: 'pass another address of the listener with --url, or set gateway.host to one without "%"',
    });
  }
  const at = new URL(url);
  if (isWildcard(at.hostname)) at.hostname = at.hostname.startsWith('[') ? '[::1]' : '127.0.0.1';
  return at.origin;
}

/** Every configured route: its state, the source of its secret, and its activity. */
export async function listRoutes(
  loaded: LoadedConfig,
  context: EngineContext,
  signal: AbortSignal,
): Promise<RoutesOutput> {
  const { env, onSecret, state } = context;
  const { statuses } = await resolveRoutes(loaded.resolved, { env, onSecret, signal });
  const stored = readActivity(state.stateDir);
  const listening = runningListenerUrl(state.stateDir);
  // The listener may have other variables than this process.
  const problems = listening === null ? {} : stored.problems;
  return {
    file: loaded.file ?? null,
    enabled: loaded.resolved.plugins.entries.webhooks.enabled,
    listening,
    routes: statuses.map((route) => {
      const { requests = 0, rejected = 0, last = null } = stored.routes[route.id] ?? {};
      return {
        ...route,
        ...(route.state === 'off' ? undefined : problems[route.id]),
        requests,
        rejected,
        last: last && lastOutput(last),
      };
    }),
  };
}

function lastOutput({ atMs, ...rest }: LastAnswer) {
  return { at: iso(atMs), ...rest };
}
