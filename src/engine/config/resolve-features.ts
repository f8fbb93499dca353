import {
  EXEC_PROVIDER_DEFAULTS,
  FILE_PROVIDER_DEFAULTS,
  FLOWS_DEFAULTS,
  MEMORY_DEFAULTS,
  ROUTE_DEFAULTS,
  RUNTIME_DEFAULTS,
  WEBHOOKS_DEFAULTS,
  WRITTEN_SCOPE_DEFAULTS,
} from './defaults.js';
import type {
  FlowsInput,
  MemoryInput,
  RouteInput,
  SecretProviderInput,
  WebhooksInput,
} from './input.js';
import { mergeSettings } from './merge.js';
import type {
  ResolvedFlows,
  ResolvedMemory,
  ResolvedRoute,
  ResolvedSecretProvider,
  ResolvedWebhooks,
} from './resolved.js';
import { parseSecret, type SecretDefaults } from './secret-input.js';

/** Where a route without a `path` is served (spec/webhooks §2). */
const ROUTE_PREFIX = '/plugins/webhooks/';

/**
 * Fills `memory`. A scope that is written stands for itself (facts §8.3): were it laid over the shipped
 * one, rules that nobody wrote would let sessions in.
 */
export function resolveMemory(input: MemoryInput | undefined): ResolvedMemory {
  const filled = mergeSettings(MEMORY_DEFAULTS, input);
  const written = input?.ext?.scope;
  if (written === undefined) return filled;
  return {
    ...filled,
    ext: { ...filled.ext, scope: mergeSettings(WRITTEN_SCOPE_DEFAULTS, written) },
  };
}

/** Fills `plugins.entries.webhooks`. */
export function resolveWebhooks(
  input: WebhooksInput | undefined,
  secretDefaults: SecretDefaults,
): ResolvedWebhooks {
  const { routes = {}, ...config } = input?.config ?? {};
  const filled = mergeSettings(WEBHOOKS_DEFAULTS, { ...input, config });
  return {
    enabled: filled.enabled,
    config: {
      limits: filled.config.limits,
      openapi: filled.config.openapi,
      routes: Object.fromEntries(
        Object.entries(routes).map(([id, route]) => [id, resolveRoute(id, route, secretDefaults)]),
      ),
    },
  };
}

function resolveRoute(
  id: string,
  route: RouteInput,
  secretDefaults: SecretDefaults,
): ResolvedRoute {
  return {
    ...route,
    enabled: route.enabled ?? ROUTE_DEFAULTS.enabled,
    path: routePath(id, route),
    secret: parseSecret(route.secret, secretDefaults),
    controllerId: route.controllerId ?? `webhooks/${id}`,
  };
}

/** The request path of a route, with one leading and no trailing slash (facts §2.1). */
export function routePath(id: string, route: { readonly path?: string | undefined }): string {
  const path = route.path ?? `${ROUTE_PREFIX}${id}`;
  return `/${path.replace(/^\/+|\/+$/gu, '')}`;
}

/** Fills `flows`. */
export function resolveFlows(
  input: FlowsInput = {},
  secretDefaults: SecretDefaults,
): ResolvedFlows {
  const { runtimes = {}, notify = {}, ...rest } = input;
  const { secret, ...target } = notify;
  const { subagent, acp } = runtimes;
  return {
    ...mergeSettings(FLOWS_DEFAULTS, rest),
    runtimes: {
      ...(subagent === undefined ? {} : { subagent: mergeSettings(RUNTIME_DEFAULTS, subagent) }),
      ...(acp === undefined ? {} : { acp: mergeSettings(RUNTIME_DEFAULTS, acp) }),
    },
    notify: {
      ...target,
      ...(secret === undefined ? {} : { secret: parseSecret(secret, secretDefaults) }),
    },
  };
}

/** Fills an entry of `secrets.providers`. */
export function resolveSecretProvider(entry: SecretProviderInput): ResolvedSecretProvider {
  switch (entry.source) {
    case 'env':
      return entry;
    case 'file':
      return mergeSettings(FILE_PROVIDER_DEFAULTS, entry);
    case 'exec':
      return mergeSettings(EXEC_PROVIDER_DEFAULTS, entry);
  }
}
