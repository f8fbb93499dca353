import { isAbsolute, normalize } from 'node:path';
import { isWildcard } from '../../support/network.js';
import { suggestName } from '../../support/text.js';
import { type ConfigPath, formatPath, valueAt } from '../config-path.js';
import { CONFIG_DEFAULTS } from '../defaults.js';
import { mergeSettings } from '../merge-settings.js';
import { routePath, writtenAgents } from '../resolve-config.js';
import type { ConfigInput } from '../schema/index.js';
import { fault, type Named, type Rule, repeats, warning, writtenRoutes } from './rule.js';

export const agentIdsAreUnique: Rule = function* (input) {
  const ids = (input.agents?.list ?? []).map(({ id }, at): Named => {
    return { name: id, path: ['agents', 'list', at, 'id'] };
  });
  for (const { name, path, earlier } of repeats(ids)) {
    yield fault('duplicate-agent', path, {
      message: `two agents have the id ${JSON.stringify(name)}`,
      expected: 'a different id for each agent',
      related: [earlier],
    });
  }
};

export const defaultAgentIsUnique: Rule = function* (input) {
  const marked = [...(input.agents?.list ?? []).entries()].filter(
    ([, agent]) => agent.default === true,
  );
  const [first, ...others] = marked.map(([at]): ConfigPath => ['agents', 'list', at, 'default']);
  if (first === undefined) return;
  for (const path of others) {
    yield fault('duplicate-default-agent', path, {
      message: 'more than one agent is the default',
      expected: 'default: true for at most one agent',
      related: [first],
    });
  }
};

/** Active memory keeps silent for any agent that is not listed, so a mistyped one would go unnoticed. */
export const recalledAgentsExist: Rule = function* ({ agents = {}, plugins }) {
  const { enabled, config } = plugins?.entries?.['active-memory'] ?? {};
  if (enabled !== true) return;
  const known = writtenAgents(agents).map(({ id }) => id);
  for (const [at, name] of (config?.agents ?? []).entries()) {
    if (known.includes(name)) continue;
    yield warning(
      'setting-unused',
      ['plugins', 'entries', 'active-memory', 'config', 'agents', at],
      {
        message: `there is no agent ${JSON.stringify(name)}`,
        expected: `one of ${known.join(', ')}`,
        suggestion: suggestName(name, known),
      },
    );
  }
};

/** Trailing slashes do not distinguish routes. One that is switched off is not served. */
export const routePathsAreUnique: Rule = function* (input) {
  const served = [...writtenRoutes(input)].filter(({ route }) => route.enabled !== false);
  const paths = served.map(({ id, route, path }): Named => {
    return {
      name: routePath(id, route),
      path: route.path === undefined ? path : [...path, 'path'],
    };
  });
  for (const { name, path, earlier } of repeats(paths)) {
    yield fault('duplicate-route-path', path, {
      message: `two routes are served at ${name}`,
      expected: 'a different path for each route',
      related: [earlier],
    });
  }
};

export const portsDiffer: Rule = function* ({ gateway }) {
  const { host, port, admin } = mergeSettings(CONFIG_DEFAULTS.gateway, gateway);
  if (admin?.port === undefined && admin?.host === undefined) return;
  const { host: adminHost = host, port: adminPort = port } = admin;
  if (port === 0 || adminPort !== port || !overlap(host, adminHost)) return;
  yield fault('port-shared', ['gateway', 'admin', admin.port === undefined ? 'host' : 'port'], {
    message: `gateway.admin uses port ${port}, like the gateway`,
    expected: 'a different port, or 0 for a free one',
    related: gateway?.port === undefined ? undefined : [['gateway', 'port']],
  });
};

function overlap(a: string, b: string): boolean {
  if (isWildcard(a) || isWildcard(b)) return true;
  const [first, second] = [a, b].map((host) => (host === 'localhost' ? '127.0.0.1' : host));
  return first === second;
}

/** With half of a certificate, a listener would serve plain HTTP. */
export const certificatesAreComplete: Rule = function* ({ gateway, mcp }) {
  const sections = [
    [gateway?.tls, ['gateway', 'tls']],
    [mcp?.http?.tls, ['mcp', 'http', 'tls']],
  ] as const;
  for (const [tls, path] of sections) {
    if (tls === undefined || (tls.cert === undefined) === (tls.key === undefined)) continue;
    yield fault('missing-key', path, {
      message: `"${tls.cert === undefined ? 'cert' : 'key'}" is missing in ${formatPath(path)}`,
      expected: 'cert and key, or neither',
    });
  }
};

const FILE_RELATIVE_KEYS: readonly ConfigPath[] = [
  ['agents', 'defaults', 'workspace'],
  ['memory', 'ext', 'sessions', 'exportDir'],
  ['gateway', 'tls', 'cert'],
  ['gateway', 'tls', 'key'],
  ['mcp', 'http', 'tls', 'cert'],
  ['mcp', 'http', 'tls', 'key'],
  ['flows', 'runtimes', 'subagent', 'cwd'],
  ['flows', 'runtimes', 'acp', 'cwd'],
  ['logging', 'file'],
];

const SEARCH_KEYS: readonly ConfigPath[] = [
  ['store', 'path'],
  ['store', 'vector', 'extensionPath'],
  ['local', 'modelPath'],
  ['local', 'modelCacheDir'],
  ['query', 'rerank', 'model'],
];

/** A relative path outside of the file's folder breaks when the file moves. */
export const pathsStayInFolder: Rule = function* (input) {
  for (const path of pathKeys(input)) {
    const value = valueAt(input, path);
    if (typeof value !== 'string' || !leavesFolder(value)) continue;
    yield warning('path-leaves-folder', path, {
      message: `${JSON.stringify(value)} is outside the folder of this file`,
      expected: 'a path in that folder, an absolute path, or one starting with ~/',
    });
  }
};

function* pathKeys(input: ConfigInput): Generator<ConfigPath> {
  yield* FILE_RELATIVE_KEYS;
  for (const key of SEARCH_KEYS) yield ['agents', 'defaults', 'memorySearch', ...key];
  for (const at of (input.agents?.list ?? []).keys()) {
    yield ['agents', 'list', at, 'workspace'];
    for (const key of SEARCH_KEYS) yield ['agents', 'list', at, 'memorySearch', ...key];
  }
  for (const at of (input.sessions?.readers ?? []).keys())
    yield ['sessions', 'readers', at, 'path'];
}

function leavesFolder(path: string): boolean {
  if (isAbsolute(path)) return false;
  return /^\.\.(?:[\\/]|$)/u.test(normalize(path));
}
