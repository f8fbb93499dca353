import type {
  ResolvedConfig,
  ResolvedRoute,
  ResolvedVerify,
  SecretInput,
} from '../config/index.js';
import { SvcError } from '../errors/index.js';
import type { FlowCaller } from '../flows/index.js';
import { networkList } from '../listener/listen.js';
import {
  describeSecret,
  resolveSecrets,
  type SecretContext,
  type SecretOutcome,
} from '../secrets/index.js';
import { pointerKeys } from '../support/json-pointer.js';
import { plainPath } from '../support/request-path.js';
import { MS_PER_HOUR } from '../support/time.js';
import { compileRules, type RuleSet } from './map/map-rules.js';
import type { RoutesOutput } from './output-schemas.js';
import { type DeliveryPlaces, deliveryPlaces, type Verifier } from './verify/schemes.js';
import { createVerifier, emptySecret } from './verify/verifier.js';

/** The routes of a configuration. */
export interface ResolvedRoutes {
  readonly served: readonly ServedRoute[];
  /** All configured routes, in the order of the file. */
  readonly statuses: readonly RouteStatus[];
}

/**
 * Reads the secrets of every enabled route. One without a secret that can be read is not served (spec/webhooks §2).
 * Secrets of other routes are not read.
 */
export async function resolveRoutes(
  { plugins, secrets }: Pick<ResolvedConfig, 'plugins' | 'secrets'>,
  context: Omit<SecretContext, 'settings'>,
): Promise<ResolvedRoutes> {
  const { enabled, config } = plugins.entries.webhooks;
  const routes = Object.entries(config.routes);
  const enabledRoutes = routes.filter(([, route]) => enabled && route.enabled);
  const inputs = enabledRoutes.flatMap(([, route]) => secretsOf(route));
  const outcomes = (await resolveSecrets(inputs, { ...context, settings: secrets })).values();
  const accessById = new Map(
    enabledRoutes.map(([id, route]) => {
      const own = secretsOf(route).flatMap(() => outcomes.next().value ?? []);
      return [id, accessOf(route, own)] as const;
    }),
  );
  return {
    statuses: routes.map(([id, route]) => statusOf(id, route, accessById.get(id))),
    served: enabledRoutes.flatMap(([id, route]) => {
      const access = accessById.get(id);
      if (access?.ok !== true) return [];
      return [{ ...receiverOf(id, route), verifier: access.verifier }];
    }),
  };
}

/** The secrets of a route, all of which are valid. */
export function secretsOf({ secret, verify }: ResolvedRoute): readonly SecretInput[] {
  return verify?.secrets ?? (secret === undefined ? [] : [secret]);
}

/** How a route knows its sender, or why it cannot be served. */
export type Access =
  | {
      readonly ok: true;
      readonly verifier: Verifier;
      /** The one that signs. */
      readonly secret: string;
      /** Why another of its secrets is not accepted. */
      readonly refused: SvcError | undefined;
    }
  | { readonly ok: false; readonly error: SvcError };

/**
 * Accepts the secrets that can be used: while one is replaced, the process may know only the other.
 *
 * @param outcomes of the secrets of the route
 */
export function accessOf(
  { verify }: Pick<ResolvedRoute, 'verify'>,
  outcomes: readonly SecretOutcome[],
): Access {
  const keys = outcomes.map((outcome) => routeKey(verify, outcome));
  const values = keys.flatMap((key) => (key.ok ? [key.value] : []));
  const refused = keys.flatMap((key) => (key.ok ? [] : [key.error]))[0];
  const [secret] = values;
  if (secret === undefined) return { ok: false, error: refused ?? emptySecret() };
  return { ok: true, verifier: createVerifier(verify, values), secret, refused };
}

/** The key in a secret, or why a route cannot use it. */
export function routeKey(verify: ResolvedVerify | undefined, secret: SecretOutcome): SecretOutcome {
  if (!secret.ok) return secret;
  try {
    createVerifier(verify, [secret.value]);
    return secret;
  } catch (error) {
    if (error instanceof SvcError) return { ok: false, error };
    throw error;
  }
}

/** All routes of a configuration as if none were served. No secret is read. */
export function routeStatusesWhenOff({
  plugins,
}: Pick<ResolvedConfig, 'plugins'>): readonly RouteStatus[] {
  const { routes } = plugins.entries.webhooks.config;
  return Object.entries(routes).map(([id, route]) => statusOf(id, route, undefined));
}

export function receiverOf(id: string, route: ResolvedRoute): Receiver {
  const { path, sessionKey, controllerId, verify, allow, challenge, map } = route;
  return {
    id,
    path,
    caller: { sessionKey, controllerId, actor: { kind: 'route', name: id } },
    scheme: verify?.scheme,
    isAllowed: allow === undefined ? undefined : networkList(allow),
    places: deliveryPlaces(route),
    dedupeMs: route.dedupeHours * MS_PER_HOUR,
    repeatsDiffer:
      verify?.scheme === 'stripe' ||
      (verify?.scheme === 'hmac' && verify.timestamp?.startsWith('/') === true),
    challenge: pointerKeys(challenge ?? '')?.[0],
    rules: map === undefined ? undefined : compileRules(map),
    rejectsUnmatched: route.unmatched === 'reject',
    acceptedStatus: route.acceptedStatus,
  };
}

function statusOf(id: string, route: ResolvedRoute, access: Access | undefined): RouteStatus {
  const { path, sessionKey, controllerId, description, verify, map } = route;
  return {
    id,
    path,
    sessionKey,
    controllerId,
    description: description ?? null,
    scheme: verify?.scheme ?? 'secret',
    rules: map?.length ?? null,
    state: access === undefined ? 'off' : access.ok ? 'served' : 'skipped',
    secretSource: secretsOf(route).map(describeSecret).join(', '),
    fault: faultOf(access),
  };
}

/** Why a route is skipped, or one of several secrets is not accepted. */
function faultOf(access: Access | undefined): RouteStatus['fault'] {
  const error = access?.ok === true ? access.refused : access?.error;
  if (error === undefined) return null;
  const { message, hint = null } = error;
  return {
    message: access?.ok === true ? `one of its secrets is not accepted: ${message}` : message,
    hint,
  };
}

/** A route that accepts requests. */
export interface ServedRoute extends Receiver {
  readonly verifier: Verifier;
}

/** What happens with verified requests of a route. */
export interface Receiver {
  readonly id: string;
  /** As {@link plainPath} returns it, with one slash at its start. */
  readonly path: string;
  /** Undefined for a shared secret. */
  readonly scheme: ResolvedVerify['scheme'] | undefined;
  /** Whether an address can send requests; undefined if all can. */
  readonly isAllowed: ((address: string) => boolean) | undefined;
  readonly places: DeliveryPlaces;
  /** How long a repeated delivery is recognized. */
  readonly dedupeMs: number;
  /**
   * The body of a repeated delivery differs: it contains when the sender signed it, or, with Stripe, how many addresses the
   * event has still to be delivered to (`pending_webhooks`).
   */
  readonly repeatsDiffer: boolean;
  /** The field that is returned to a sender that checks the address. */
  readonly challenge: string | undefined;
  /** Undefined if bodies are actions. */
  readonly rules: RuleSet | undefined;
  readonly rejectsUnmatched: boolean;
  /** Status for an ignored event, and for a flow that is cancelled later. */
  readonly acceptedStatus: ResolvedRoute['acceptedStatus'];
  /** On whose behalf its actions are performed. */
  readonly caller: FlowCaller;
}

/** A configured route as operators see it: with the source of its secret, never its value. */
export type RouteStatus = Omit<RoutesOutput['routes'][number], 'last' | 'rejected' | 'requests'>;

/** Longer targets match no route and are not decoded. */
const MOST_TARGET_CHARS = 8192;

/** Finds the route of the raw target of a request. */
export type RouteFinder = (url: string) => ServedRoute | undefined;

/** Immutable: a reload creates another one. */
export function routeFinder(routes: readonly ServedRoute[]): RouteFinder {
  const byPath = new Map(routes.map((route) => [plainPath(route.path), route]));
  return (url) => {
    const query = url.indexOf('?');
    const path = query === -1 ? url : url.slice(0, query);
    if (path.length > MOST_TARGET_CHARS) return undefined;
    return byPath.get(plainPath(path));
  };
}
