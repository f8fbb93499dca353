import { readFileSync } from 'node:fs';
import { type LoadedConfig, type ResolvedRoute, suggestName } from '../../config/index.js';
import { gatewayAddress } from '../../config/listen-address.js';
import type { EngineContext } from '../../context.js';
import { messageOf, SvcError } from '../../errors/index.js';
import type { JsonObject } from '../../flows/index.js';
import { resolveSecret } from '../../secrets/index.js';
import { IDEMPOTENCY_HEADER } from '../body/idempotency-key.js';
import { curlCommand } from './curl-command.js';
import { isJsonObject } from './json-object.js';
import { sendRequest } from './send-request.js';

/** A call of one's own route. */
export interface RouteCall {
  readonly routeId: string;
  readonly action: string;
  /** The other fields of the body. */
  readonly data: JsonObject;
  readonly idempotencyKey: string | undefined;
  /** Where the listener is reached: scheme, host and port. */
  readonly baseUrl: string;
  readonly signal: AbortSignal;
}

/** What came of it. */
export interface CalledRoute {
  readonly url: string;
  readonly status: number;
  /** What the listener answered. */
  readonly answer: JsonObject;
  /** The same call for a shell, without the secret. */
  readonly curl: string;
}

/**
 * Performs an action over HTTP with the secret of the route.
 *
 * @throws SvcError WEBHOOK_ROUTE_UNKNOWN, SECRET_UNRESOLVED, WEBHOOK_UNREACHABLE; or the signal's reason
 */
export async function callRoute(
  call: RouteCall,
  loaded: LoadedConfig,
  context: EngineContext,
): Promise<CalledRoute> {
  const route = routeOf(call.routeId, loaded);
  const { env, onSecret } = context;
  const { signal, idempotencyKey } = call;
  const settings = loaded.resolved.secrets;
  const secret = await resolveSecret(route.secret, { env, settings, signal, onSecret });
  const url = new URL(encodeURI(route.path), call.baseUrl).href;
  const body = JSON.stringify({ action: call.action, ...call.data });
  const headers = {
    'content-type': 'application/json',
    ...(idempotencyKey === undefined ? {} : { [IDEMPOTENCY_HEADER]: idempotencyKey }),
  };
  const curl = curlCommand({ url, headers, body });
  const authorization = `Bearer ${Buffer.from(secret, 'utf8').toString('latin1')}`;
  const certificate = certificateOf(loaded, context);
  const sent = { url, headers: { ...headers, authorization }, body, certificate, signal };
  const { status, text } = await sendRequest(sent).catch((error: unknown) => {
    signal.throwIfAborted();
    throw unreachable(url, messageOf(error), error);
  });
  return { url, status, answer: readAnswer(text, url, status), curl };
}

function routeOf(id: string, { resolved }: LoadedConfig): ResolvedRoute {
  const { routes } = resolved.plugins.entries.webhooks.config;
  const route = Object.hasOwn(routes, id) ? routes[id] : undefined;
  if (route !== undefined) return route;
  const near = suggestName(id, Object.keys(routes));
  throw new SvcError('WEBHOOK_ROUTE_UNKNOWN', `there is no webhook route called ${id}`, {
    hint:
      near === undefined
        ? 'svc webhook routes lists those of the configuration'
        : `did you mean ${near}? svc webhook routes lists all`,
  });
}

function certificateOf(loaded: LoadedConfig, context: EngineContext): Buffer | undefined {
  const { tls } = gatewayAddress(loaded, context);
  try {
    return tls === undefined ? undefined : readFileSync(tls.cert);
  } catch {
    // Somebody else may run the listener, and the certificate be known to the system.
    return undefined;
  }
}

function readAnswer(text: string, url: string, status: number): JsonObject {
  try {
    const answer: unknown = JSON.parse(text);
    if (isJsonObject(answer)) return answer;
  } catch {
    // Told below.
  }
  throw unreachable(url, `what answers there with status ${status} is no webhook listener`);
}

function unreachable(url: string, why: string, cause?: unknown): SvcError {
  return new SvcError('WEBHOOK_UNREACHABLE', `cannot call ${url}: ${why}`, {
    hint: 'start the listener with svc webhook serve, or say with --url where it is',
    ...(cause === undefined ? {} : { cause }),
  });
}
