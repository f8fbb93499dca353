import type { ConfigPath } from '../config-path.js';
import { routePath } from '../resolve-features.js';
import type { Rule } from './finding.js';

/** Agents are told apart by their ids. */
export const agentIdsAreUnique: Rule = function* (input) {
  const ids = (input.agents?.list ?? []).map(({ id }, at): Named => {
    return { name: id, path: ['agents', 'list', at, 'id'] };
  });
  for (const { name, path, earlier } of repeats(ids)) {
    yield {
      severity: 'fault',
      code: 'duplicate-agent',
      path,
      message: `two agents have the id ${JSON.stringify(name)}`,
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
  const paths = Object.entries(routes).map(([id, route]): Named => {
    const entry: ConfigPath = ['plugins', 'entries', 'webhooks', 'config', 'routes', id];
    return {
      name: routePath(id, route),
      path: route.path === undefined ? entry : [...entry, 'path'],
    };
  });
  for (const { name, path, earlier } of repeats(paths)) {
    yield {
      severity: 'fault',
      code: 'duplicate-route-path',
      path,
      message: `two routes are served at ${name}`,
      expected: 'a path of its own for each route',
      related: [earlier],
    };
  }
};

interface Named {
  readonly name: string;
  readonly path: ConfigPath;
}

/** Those whose name stands earlier in the list too, with the place of its first. */
function* repeats(named: readonly Named[]): Generator<Named & { readonly earlier: ConfigPath }> {
  const first = new Map<string, ConfigPath>();
  for (const { name, path } of named) {
    const earlier = first.get(name);
    if (earlier === undefined) first.set(name, path);
    else yield { name, path, earlier };
  }
}
