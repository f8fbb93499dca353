import type { EngineContext } from '../context.js';
import type { SourceLocation, Warning } from '../errors/index.js';
import { type ConfigPath, formatPath, isRecord, valueAt } from './config-path.js';
import type { LoadedConfig } from './load.js';
import { maskSecrets } from './mask.js';
import { resolveAgent } from './resolve-agent.js';
import type { ResolvedAgent } from './resolved.js';

/** Where an effective value comes from. */
export type ValueOrigin =
  | { readonly kind: 'default' }
  | { readonly kind: 'file'; readonly scope: string; readonly location: SourceLocation };

/** One value that holds, and where it comes from. */
export interface EffectiveValue {
  /** Where it stands in what is shown, like `memorySearch.query.maxResults`. */
  readonly path: string;
  /** Secrets masked. */
  readonly value: unknown;
  /** Several for a list that was joined from two places. */
  readonly origins: readonly ValueOrigin[];
}

/** The configuration as it holds: everything, or one agent. Secrets masked. */
export interface EffectiveConfig {
  readonly file: string | undefined;
  /** Plain JSON data. */
  readonly config: unknown;
  /** Every leaf of `config`, in its order; undefined unless origins were asked for. */
  readonly values: readonly EffectiveValue[] | undefined;
  /** What the file's check warned about. */
  readonly warnings: readonly Warning[];
}

/** What to show. */
export interface EffectiveOptions {
  /** Only this agent, with everything that holds for it. */
  readonly agent?: string | undefined;
  readonly origins: boolean;
}

/** Finds where a path is written; undefined when there is no file. */
export type Locate = (path: ConfigPath) => SourceLocation;

/**
 * The values that hold, defaults included.
 *
 * @param locate of the file that `loaded` came from, for origins
 * @throws SvcError AGENT_UNKNOWN
 */
export function effectiveConfig(
  loaded: LoadedConfig,
  options: EffectiveOptions,
  context: EngineContext,
  locate: Locate | undefined,
): EffectiveConfig {
  const view =
    options.agent === undefined ? wholeView(loaded) : agentView(loaded, options.agent, context);
  const values = options.origins
    ? [...leaves(view.data, [])].map(({ path, value }) => ({
        path: formatPath(path),
        value,
        origins: originsOf(loaded, view.sources(path), locate),
      }))
    : undefined;
  return { file: loaded.file, config: view.data, values, warnings: loaded.warnings };
}

interface View {
  readonly data: unknown;
  /** Where a leaf may be written in the file, the place that wins first. */
  readonly sources: (path: ConfigPath) => readonly ConfigPath[];
}

const DEFAULT_SEARCH: ConfigPath = ['agents', 'defaults', 'memorySearch'];

function wholeView(loaded: LoadedConfig): View {
  return {
    data: maskSecrets(loaded.resolved),
    sources: (path) => {
      const [root, list, position, key, ...rest] = path;
      const ofAgent = root === 'agents' && list === 'list' && position !== undefined;
      return ofAgent && key === 'memorySearch' ? [path, [...DEFAULT_SEARCH, ...rest]] : [path];
    },
  };
}

function agentView(loaded: LoadedConfig, agentId: string, context: EngineContext): View {
  const agent = resolveAgent(loaded, agentId, context);
  const at = loaded.resolved.agents.list.findIndex((candidate) => candidate.id === agent.id);
  const own: ConfigPath = ['agents', 'list', at];
  return {
    data: maskAgent(agent),
    sources: ([key = '', ...rest]) => {
      if (key === 'memorySearch')
        return [
          [...own, key, ...rest],
          [...DEFAULT_SEARCH, ...rest],
        ];
      if (key === 'workspaceDir')
        return [
          [...own, 'workspace'],
          ['agents', 'defaults', 'workspace'],
        ];
      if (key === 'userTimezone') return [['agents', 'defaults', key]];
      return key === 'id' ? [[...own, key]] : [['memory', key]];
    },
  };
}

function maskAgent(agent: ResolvedAgent): unknown {
  const { memorySearch, ...rest } = agent;
  return { ...rest, memorySearch: maskSecrets(memorySearch, DEFAULT_SEARCH) };
}

function* leaves(
  value: unknown,
  path: ConfigPath,
): Generator<{ readonly path: ConfigPath; readonly value: unknown }> {
  if (isRecord(value) && Object.keys(value).length > 0) {
    for (const [key, item] of Object.entries(value)) yield* leaves(item, [...path, key]);
  } else if (Array.isArray(value) && value.some((item) => isRecord(item))) {
    for (const [at, item] of value.entries()) yield* leaves(item, [...path, at]);
  } else {
    yield { path, value };
  }
}

const JOINED_LISTS = ['extraPaths', 'extraCollections'];

function originsOf(
  loaded: LoadedConfig,
  sources: readonly ConfigPath[],
  locate: Locate | undefined,
): readonly ValueOrigin[] {
  const written = sources.flatMap((source) => writtenPart(loaded.input, source) ?? []);
  if (written.length === 0 || locate === undefined) return [{ kind: 'default' }];
  const joined = sources.some((source) =>
    source.some((part) => JOINED_LISTS.includes(String(part))),
  );
  return (joined ? written : written.slice(0, 1)).map((path) => ({
    kind: 'file',
    scope: scopeOf(path),
    location: locate(path),
  }));
}

/**
 * The path itself when the file has a value there, or the shorter path of a single value that
 * stands for the whole (a secret written as a string is shown in parts).
 */
function writtenPart(input: unknown, path: ConfigPath): readonly [ConfigPath] | undefined {
  for (let length = 1; length <= path.length; length++) {
    const part = path.slice(0, length);
    const value = valueAt(input, part);
    if (value === undefined) return undefined;
    if (length === path.length || typeof value !== 'object') return [part];
  }
  return undefined;
}

/** The part of the file that a value belongs to: `agents.defaults`, `agents.list[0]`, or its root. */
function scopeOf(path: ConfigPath): string {
  const [root, second, third] = path;
  if (root !== 'agents') return String(root);
  return second === 'list' && third !== undefined
    ? formatPath([root, second, third])
    : 'agents.defaults';
}
