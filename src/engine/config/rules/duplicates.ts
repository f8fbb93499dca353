import type { ConfigPath } from '../config-path.js';
import { routePath } from '../resolve-features.js';
import type { Rule } from './finding.js';

/** Agents are told apart by their ids. */
export const agentIdsAreUnique: Rule = function* (input) {
  const first = new Map<string, ConfigPath>();
  for (const [at, { id }] of (input.agents?.list ?? []).entries()) {
    const path: ConfigPath = ['agents', 'list', at, 'id'];
    const earlier = first.get(id);
    if (earlier === undefined) {
      first.set(id, path);
      continue;
    }
    yield {
      severity: 'fault',
      code: 'duplicate-agent',
      path,
      message: `two agents have the id ${JSON.stringify(id)}`,
      expected: 'an id of its own for each agent',
      related: [earlier],
    };
  }
};

/** Only one agent can be meant when none is named. */
export const defaultAgentIsUnique: Rule = function* (input) {
  const marked = [...(input.agents?.list ?? []).entries()].filter(
    ([, agent]) => agent.default === true,
  );
  const [first, ...others] = marked.map(([at]): ConfigPath => ['agents', 'list', at, 'default']);
  if (first === undefined) return;
  for (const path of others) {
    yield {
      severity: 'fault',
      code: 'duplicate-default-agent',
      path,
      message: 'more than one agent is the default',
      expected: 'default: true at one agent at most',
      related: [first],
    };
  }
};

/** Requests find their route by its path; slashes at the ends do not tell routes apart. */
export const routePathsAreUnique: Rule = function* (input) {
  const routes = input.plugins?.entries?.webhooks?.config?.routes ?? {};
  const first = new Map<string, ConfigPath>();
  for (const [id, route] of Object.entries(routes)) {
    const served = routePath(id, route);
    const entry: ConfigPath = ['plugins', 'entries', 'webhooks', 'config', 'routes', id];
    const path = route.path === undefined ? entry : [...entry, 'path'];
    const earlier = first.get(served);
    if (earlier === undefined) {
      first.set(served, path);
      continue;
    }
    yield {
      severity: 'fault',
      code: 'duplicate-route-path',
      path,
      message: `two routes are served at ${served}`,
      expected: 'a path of its own for each route',
      related: [earlier],
    };
  }
};
