import { type AdapterId, adapterOf } from '../../providers/registry.js';
import type { ConfigFault, FaultCode } from '../config-fault.js';
import { type ConfigPath, valueAt } from '../config-path.js';
import { fillMemorySearch } from '../resolve-config.js';
import type { FilledMemorySearch } from '../resolved.js';
import type { ConfigInput } from '../schema/index.js';

/** `memorySearch` of the defaults or of one agent, and where its keys are written. */
export interface SearchScope {
  readonly settings: FilledMemorySearch;
  /** Path of a key: in the agent, else in the defaults, else undefined. */
  writtenAt(...keys: readonly string[]): ConfigPath | undefined;
  /** Path of a key that is written in this scope itself. */
  writtenHere(...keys: readonly string[]): ConfigPath | undefined;
  /**
   * Whether a finding about these paths belongs to this scope: what an agent inherits is reported
   * for the defaults only.
   */
  concerns(...places: readonly (ConfigPath | undefined)[]): boolean;
}

/** The defaults (even if not written), then every agent with overrides. */
export function* searchScopes(input: ConfigInput): Generator<SearchScope> {
  const defaultsPath: ConfigPath = ['agents', 'defaults', 'memorySearch'];
  yield scopeOf(input, [defaultsPath], fillMemorySearch(input, undefined));
  for (const [at, agent] of (input.agents?.list ?? []).entries()) {
    if (agent.memorySearch === undefined) continue;
    const settings = fillMemorySearch(input, agent.memorySearch);
    yield scopeOf(input, [['agents', 'list', at, 'memorySearch'], defaultsPath], settings);
  }
}

function scopeOf(
  input: ConfigInput,
  layers: readonly ConfigPath[],
  settings: FilledMemorySearch,
): SearchScope {
  const [base = []] = layers;
  const isWritten = (path: ConfigPath): boolean => valueAt(input, path) !== undefined;
  return {
    settings,
    writtenAt: (...keys) => layers.map((layer) => [...layer, ...keys]).find(isWritten),
    writtenHere: (...keys) => {
      const path = [...base, ...keys];
      return isWritten(path) ? path : undefined;
    },
    concerns: (...places) =>
      places.some((place) => place !== undefined && base.every((part, at) => place[at] === part)),
  };
}

/** The webhook routes, and where they are written. */
export function* writtenRoutes(input: ConfigInput) {
  const routes = input.plugins?.entries?.webhooks?.config?.routes ?? {};
  for (const [id, route] of Object.entries(routes)) {
    const path: ConfigPath = ['plugins', 'entries', 'webhooks', 'config', 'routes', id];
    yield { id, route, path };
  }
}

export interface Named {
  readonly name: string;
  readonly path: ConfigPath;
}

/** Entries whose name occurs earlier in the list, with the path of the first. */
export function* repeats(
  entries: readonly Named[],
): Generator<Named & { readonly earlier: ConfigPath }> {
  const first = new Map<string, ConfigPath>();
  for (const { name, path } of entries) {
    const earlier = first.get(name);
    if (earlier === undefined) first.set(name, path);
    else yield { name, path, earlier };
  }
}

/** What a provider name means: an adapter, `auto` or `none`, or nothing. */
type ProviderTarget =
  | { readonly kind: 'adapter'; readonly adapter: AdapterId }
  | { readonly kind: 'open' }
  | { readonly kind: 'unknown'; readonly entry: ConfigPath | undefined };

/**
 * Resolves a provider name: a `models.providers` entry by its `api`, else an adapter by id or kind
 * (spec/memory-search §2.1).
 */
export function followProvider(input: ConfigInput, name: string): ProviderTarget {
  if (name === 'auto' || name === 'none') return { kind: 'open' };
  const entries = input.models?.providers ?? {};
  const entry = Object.hasOwn(entries, name) ? entries[name] : undefined;
  const adapter = adapterOf(entry?.api ?? name) ?? adapterOf(name);
  if (entry?.api !== undefined && adapterOf(entry.api) === undefined) {
    return { kind: 'unknown', entry: ['models', 'providers', name, 'api'] };
  }
  if (adapter !== undefined) return { kind: 'adapter', adapter };
  return {
    kind: 'unknown',
    entry: entry === undefined ? undefined : ['models', 'providers', name],
  };
}

/**
 * The configured model of the provider, and where it is written: in the settings, else the first
 * of the provider's `models.providers` entry.
 */
export function configuredModel(input: ConfigInput, scope: SearchScope) {
  const { provider, model } = scope.settings;
  const path = scope.writtenAt('model');
  if (model !== undefined && path !== undefined) return { model, path };
  const entries = input.models?.providers ?? {};
  const first = Object.hasOwn(entries, provider) ? entries[provider]?.models?.[0] : undefined;
  if (first === undefined) return undefined;
  return { model: first.id, path: ['models', 'providers', provider, 'models', 0, 'id'] };
}

/** The paths that are written. */
export function writtenPaths(
  ...places: readonly (ConfigPath | undefined)[]
): readonly ConfigPath[] {
  return places.filter((place) => place !== undefined);
}

/** A finding of a rule, not yet located in a document. */
export interface RuleFinding extends Omit<ConfigFault, 'location' | 'path' | 'related'> {
  /** The invalid value. */
  readonly path: ConfigPath;
  readonly related?: readonly ConfigPath[] | undefined;
}

type FindingTexts = Omit<RuleFinding, 'code' | 'path' | 'severity'>;

/** A finding that makes the configuration unusable. */
export function fault(code: FaultCode, path: ConfigPath, texts: FindingTexts): RuleFinding {
  return { severity: 'fault', code, path, ...texts };
}

export function warning(code: FaultCode, path: ConfigPath, texts: FindingTexts): RuleFinding {
  return { severity: 'warning', code, path, ...texts };
}

/**
 * A rule across keys, for configurations that the schema accepts.
 *
 * @param scopes {@link searchScopes}, shared by all rules
 */
export type Rule = (input: ConfigInput, scopes: readonly SearchScope[]) => Iterable<RuleFinding>;

/** A rule for each scope of `memorySearch`. */
export function eachScope(
  rule: (scope: SearchScope, input: ConfigInput) => Iterable<RuleFinding>,
): Rule {
  return (input, scopes) => scopes.flatMap((scope) => [...rule(scope, input)]);
}
