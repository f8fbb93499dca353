import { randomUUID } from 'node:crypto';
import type { LoadedConfig, ResolvedRoute } from '../config/index.js';
import { SvcError } from '../errors/index.js';
import type { EngineContext } from '../support/context.js';
import { pointerKeys } from '../support/json-pointer.js';
import { isRecord, shellWord, suggestName } from '../support/text.js';
import { readIntent } from './map/request-intent.js';
import type { TriggerOutput } from './output-schemas.js';
import { ALERTS } from './presets/alerts.js';
import { CODE_HOSTS } from './presets/code-hosts.js';
import type { Preset } from './presets/preset.js';
import { SERVICES } from './presets/services.js';
import { receiverOf } from './routes.js';
import { configuredRoute, type SignedRequest, sendSigned } from './signed-request.js';
import { deliveryPlaces, requestHead } from './verify/schemes.js';

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

/**
 * Sends the example of a preset as its sender would: signed for the route, as a new delivery.
 *
 * @throws SvcError USAGE, WEBHOOK_ROUTE_UNKNOWN, SECRET_UNRESOLVED, WEBHOOK_UNREACHABLE; or the signal's reason
 */
export async function triggerPreset(
  { preset: name, routeId, baseUrl, signal }: Trigger,
  loaded: LoadedConfig,
  context: EngineContext,
): Promise<TriggerOutput> {
  const preset = presetOf(name);
  const nowMs = context.clock.now();
  const id = routeId ?? fittingRoute(preset, loaded, nowMs);
  const route = configuredRoute(id, loaded);
  const delivery = exampleOf(preset, route, nowMs);
  const sent = await sendSigned({ route, ...delivery, baseUrl, signal }, loaded, context);
  return { preset: name, route: id, ...sent };
}

type Example = Pick<SignedRequest, 'body' | 'headers' | 'id'>;

function presetOf(name: string): Preset {
  const found = PRESETS.find((preset) => preset.name === name);
  if (found !== undefined) return found;
  const names = PRESETS.map((preset) => preset.name);
  const near = suggestName(name, names);
  throw new SvcError('USAGE', `preset ${name} not found`, {
    hint: near === undefined ? `presets: ${names.join(', ')}` : `did you mean ${near}?`,
  });
}

/** The route that verifies requests as the preset does; of several, the one whose rules make an action of its example. */
function fittingRoute(preset: Preset, { resolved }: LoadedConfig, nowMs: number): string {
  const { routes } = resolved.plugins.entries.webhooks.config;
  const presetSender = senderOf(preset.route.verify);
  const verifying = Object.entries(routes)
    .filter(([, route]) => route.enabled && route.map !== undefined)
    .filter(([, route]) => senderOf(route.verify) === presetSender);
  const acting = verifying.filter(([id, route]) =>
    actsOn(exampleOf(preset, route, nowMs), id, route),
  );
  const ids = (acting.length > 0 ? acting : verifying).map(([id]) => id);
  const [id, more] = ids;
  if (id === undefined) {
    throw new SvcError(
      'WEBHOOK_ROUTE_UNKNOWN',
      `no route verifies requests as ${preset.name} needs`,
      { hint: 'see docs/webhook-senders.md for one' },
    );
  }
  if (more === undefined) return id;
  throw new SvcError('WEBHOOK_ROUTE_UNKNOWN', `${preset.name} fits several routes`, {
    hint: `pass ${ids.map((one) => `--route ${shellWord(one)}`).join(' or ')}`,
  });
}

function actsOn({ body, headers }: Example, id: string, route: ResolvedRoute): boolean {
  const intent = readIntent(receiverOf(id, route), requestHead(headers), Buffer.from(body));
  return intent.type === 'action';
}

/** Equal for routes and presets of the same sender. */
function senderOf(verify: Preset['route']['verify'] | ResolvedRoute['verify']): string {
  if (verify === undefined) return 'bearer';
  return verify.scheme === 'hmac' ? verify.header.toLowerCase() : verify.scheme;
}

/** A new id and, where the body contains it, the current time: a repeated or old delivery would not be performed. */
function exampleOf(preset: Preset, route: ResolvedRoute, nowMs: number): Example {
  const id = randomUUID();
  const [place] = deliveryPlaces(route).id;
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
