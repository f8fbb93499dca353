import { randomUUID } from 'node:crypto';
import type { LoadedConfig, ResolvedRoute } from '../config/index.js';
import { SvcError } from '../errors/index.js';
import type { EngineContext } from '../support/context.js';
import { pointerKeys } from '../support/json-pointer.js';
import { isRecord, suggestName } from '../support/text.js';
import { ALERTS } from './presets/alerts.js';
import { CODE_HOSTS } from './presets/code-hosts.js';
import type { Preset } from './presets/preset.js';
import { SERVICES } from './presets/services.js';
import { receiverOf } from './routes.js';
import { configuredRoute, type SentRequest, sendSigned } from './signed-request.js';

/** All presets, in the order of docs/webhook-senders.md. */
export const PRESETS: readonly Preset[] = [...CODE_HOSTS, ...ALERTS, ...SERVICES];

/** The example of a preset, to be sent to a route. */
export interface Trigger {
  /** Name of the preset. */
  readonly preset: string;
  /** Undefined for the only route that the sender of the preset could use. */
  readonly routeId: string | undefined;
  readonly baseUrl: string;
  readonly signal: AbortSignal;
}

/** The answer of the route. */
export interface Triggered extends SentRequest {
  readonly preset: string;
  readonly route: string;
}

/**
 * Sends the example of a preset as its sender would: signed for the route, as a new delivery.
 *
 * @throws SvcError USAGE, WEBHOOK_ROUTE_UNKNOWN, SECRET_UNRESOLVED, WEBHOOK_UNREACHABLE; or the signal's reason
 */
export async function triggerPreset(
  { preset: name, routeId, baseUrl, signal }: Trigger,
  loaded: LoadedConfig,
  context: EngineContext,
): Promise<Triggered> {
  const preset = presetOf(name);
  const id = routeId ?? fittingRoute(preset, loaded);
  const route = configuredRoute(id, loaded);
  const delivery = exampleOf(preset, id, route, context.clock.now());
  const sent = await sendSigned({ route, ...delivery, baseUrl, signal }, loaded, context);
  return { preset: name, route: id, ...sent };
}

function presetOf(name: string): Preset {
  const found = PRESETS.find((preset) => preset.name === name);
  if (found !== undefined) return found;
  const names = PRESETS.map((preset) => preset.name);
  const near = suggestName(name, names);
  throw new SvcError('USAGE', `preset ${name} not found`, {
    hint: near === undefined ? `presets: ${names.join(', ')}` : `did you mean ${near}?`,
  });
}

/** The route that verifies requests as the preset does. */
function fittingRoute({ name, route: { verify } }: Preset, { resolved }: LoadedConfig): string {
  const { routes } = resolved.plugins.entries.webhooks.config;
  const wanted = senderOf(verify);
  const ids = Object.entries(routes)
    .filter(([, route]) => route.enabled && route.map !== undefined)
    .filter(([, route]) => senderOf(route.verify) === wanted)
    .map(([id]) => id);
  const [id, more] = ids;
  if (id !== undefined && more === undefined) return id;
  throw new SvcError(
    'WEBHOOK_ROUTE_UNKNOWN',
    id === undefined
      ? `no route verifies requests as ${name} needs`
      : `${name} fits several routes`,
    {
      hint:
        id === undefined
          ? 'see docs/webhook-senders.md for one'
          : `pass --route ${ids.join(' or --route ')}`,
    },
  );
}

/** Equal for routes and presets of the same sender. */
function senderOf(verify: Preset['route']['verify'] | ResolvedRoute['verify']): string {
  if (verify === undefined) return 'bearer';
  return verify.scheme === 'hmac' ? verify.header.toLowerCase() : verify.scheme;
}

/** A new id and, where the body contains it, the time of now: a repeated or old delivery would not be performed. */
function exampleOf(preset: Preset, routeId: string, route: ResolvedRoute, nowMs: number) {
  const id = randomUUID();
  const [place] = receiverOf(routeId, route).places.id;
  const keys = place?.in === 'body' ? place.keys : undefined;
  const { verify } = route;
  const timeKeys = verify?.scheme === 'hmac' ? pointerKeys(verify.timestamp ?? '') : undefined;
  const body = withValue(withValue(preset.body, keys, id), timeKeys, nowMs);
  return {
    id,
    body: JSON.stringify(body),
    headers: {
      'content-type': 'application/json',
      ...preset.headers,
      ...(place?.in === 'header' ? { [place.name]: id } : {}),
    },
  };
}

/** A copy with a value at these keys. */
function withValue(data: unknown, keys: readonly string[] | undefined, value: unknown): unknown {
  if (keys === undefined) return data;
  const [key, ...rest] = keys;
  if (key === undefined) return value;
  const fields = isRecord(data) ? data : {};
  return { ...fields, [key]: withValue(fields[key], rest, value) };
}
