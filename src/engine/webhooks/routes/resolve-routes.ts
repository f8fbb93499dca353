import type { ResolvedConfig, ResolvedRoute } from '../../config/index.js';
import {
  describeSecret,
  resolveSecrets,
  type SecretContext,
  type SecretOutcome,
} from '../../secrets/index.js';
import { routeSecret } from '../guards/route-secret.js';
import type { RouteStanding, RouteState, ServedRoute } from './served-route.js';

/** What a configuration makes of its routes. */
export interface ResolvedRoutes {
  readonly served: readonly ServedRoute[];
  /** All that are configured, in the order of the file. */
  readonly standings: readonly RouteStanding[];
}

/** What resolving needs of the world. */
export type RouteContext = Omit<SecretContext, 'settings'>;

/**
 * Reads the secret of every route that is switched on, once. One whose secret cannot be read is not
 * served (spec/webhooks §2); secrets of others are not asked for.
 */
export async function resolveRoutes(
  { plugins, secrets }: Pick<ResolvedConfig, 'plugins' | 'secrets'>,
  context: RouteContext,
): Promise<ResolvedRoutes> {
  const { enabled, config } = plugins.entries.webhooks;
  const routes = Object.entries(config.routes);
  const wanted = routes.filter(([, route]) => enabled && route.enabled);
  const outcomes = await resolveSecrets(
    wanted.map(([, route]) => route.secret),
    { ...context, settings: secrets },
  );
  const outcomeById = new Map<string, SecretOutcome>();
  for (const [at, [id]] of wanted.entries()) {
    const outcome = outcomes[at];
    if (outcome !== undefined) outcomeById.set(id, outcome);
  }
  return {
    standings: routes.map(([id, route]) => standingOf(id, route, outcomeById.get(id))),
    served: wanted.flatMap(([id, route]) => servedOf(id, route, outcomeById.get(id))),
  };
}

/** All routes of a configuration as if none were served; no secret is read. */
export function configuredStandings({
  plugins,
}: Pick<ResolvedConfig, 'plugins'>): readonly RouteStanding[] {
  const { routes } = plugins.entries.webhooks.config;
  return Object.entries(routes).map(([id, route]) => standingOf(id, route, undefined));
}

function servedOf(
  id: string,
  { path, sessionKey, controllerId }: ResolvedRoute,
  outcome: SecretOutcome | undefined,
): readonly ServedRoute[] {
  if (outcome?.ok !== true) return [];
  return [{ id, path, secret: routeSecret(outcome.value), caller: { sessionKey, controllerId } }];
}

function standingOf(
  id: string,
  { path, sessionKey, controllerId, description, secret }: ResolvedRoute,
  outcome: SecretOutcome | undefined,
): RouteStanding {
  const error = outcome?.ok === false ? outcome.error : undefined;
  const fault = error === undefined ? null : { message: error.message, hint: error.hint ?? null };
  return {
    id,
    path,
    sessionKey,
    controllerId,
    description: description ?? null,
    state: stateOf(outcome),
    secretSource: describeSecret(secret),
    fault,
  };
}

function stateOf(outcome: SecretOutcome | undefined): RouteState {
  if (outcome === undefined) return 'off';
  return outcome.ok ? 'served' : 'skipped';
}
