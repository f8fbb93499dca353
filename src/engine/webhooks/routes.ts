import type { ResolvedConfig, ResolvedRoute } from '../config/index.js';
import type { FlowCaller } from '../flows/index.js';
import {
  describeSecret,
  resolveSecrets,
  type SecretContext,
  type SecretOutcome,
} from '../secrets/index.js';
import { type RouteSecret, routeSecret } from './guards.js';
import type { RoutesOutput } from './output-schemas.js';

/** The routes of a configuration. */
export interface ResolvedRoutes {
  readonly served: readonly ServedRoute[];
  /** All configured routes, in the order of the file. */
  readonly standings: readonly RouteStanding[];
}

/**
 * Reads the secret of every enabled route. One whose secret cannot be read is not served (spec/webhooks §2).
 * Secrets of other routes are not read.
 */
export async function resolveRoutes(
  { plugins, secrets }: Pick<ResolvedConfig, 'plugins' | 'secrets'>,
  context: Omit<SecretContext, 'settings'>,
): Promise<ResolvedRoutes> {
  const { enabled, config } = plugins.entries.webhooks;
  const routes = Object.entries(config.routes);
  const enabledRoutes = routes.filter(([, route]) => enabled && route.enabled);
  const outcomes = await resolveSecrets(
    enabledRoutes.map(([, route]) => route.secret),
    { ...context, settings: secrets },
  );
  const outcomeById = new Map<string, SecretOutcome>();
  for (const [at, [id]] of enabledRoutes.entries()) {
    const outcome = outcomes[at];
    if (outcome !== undefined) outcomeById.set(id, outcome);
  }
  return {
    standings: routes.map(([id, route]) => standingOf(id, route, outcomeById.get(id))),
    served: enabledRoutes.flatMap(([id, route]) => servedOf(id, route, outcomeById.get(id))),
  };
}

/** All routes of a configuration as if none were served. No secret is read. */
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

function stateOf(outcome: SecretOutcome | undefined): RouteStanding['state'] {
  if (outcome === undefined) return 'off';
  return outcome.ok ? 'served' : 'skipped';
}

/** A route that accepts requests. */
export interface ServedRoute {
  readonly id: string;
  /** Starts with one slash and does not end with one. */
  readonly path: string;
  readonly secret: RouteSecret;
  /** On whose behalf its actions are performed. */
  readonly caller: FlowCaller;
}

/** A configured route as operators see it: with the source of its secret, never its value. */
export type RouteStanding = Omit<RoutesOutput['routes'][number], 'last' | 'rejected' | 'requests'>;

/** Longer targets match no route and are not decoded. */
const MOST_TARGET_CHARS = 8192;

const SLASH = 0x2f;

/** Finds the route of a request. Immutable: a reload creates another one. */
export class RouteTable {
  private readonly byPath: ReadonlyMap<string, ServedRoute>;

  constructor(routes: readonly ServedRoute[]) {
    this.byPath = new Map(routes.map((route) => [route.path, route]));
  }

  /** @param url the raw target of a request */
  find(url: string): ServedRoute | undefined {
    const query = url.indexOf('?');
    const path = query === -1 ? url : url.slice(0, query);
    if (path.length > MOST_TARGET_CHARS) return undefined;
    return this.byPath.get(path) ?? this.byPath.get(plainPath(path));
  }
}

/** Without trailing slashes and needless escapes. */
function plainPath(path: string): string {
  let end = path.length;
  while (end > 0 && path.charCodeAt(end - 1) === SLASH) end -= 1;
  const bare = path.slice(0, end);
  try {
    return bare.includes('%') ? decodeURI(bare) : bare;
  } catch {
    return bare;
  }
}
