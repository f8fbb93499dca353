import type { SourceLocation, Warning } from '../errors/index.js';
import type { EngineContext } from '../support/context.js';
import { isRecord } from '../support/text.js';
import {
  agentPlaces,
  type ConfigPath,
  DREAMING_PATH,
  formatPath,
  JOINED_LISTS,
  valueAt,
  writingPlaces,
} from './config-path.js';
import type { LoadConfigOptions } from './discovery.js';
import type { ConfigDocument } from './document.js';
import { loadConfig, readDocument } from './load.js';
import { resolveAgent } from './resolve-agent.js';
import type { LoadedConfig } from './resolved.js';
import { maskSecrets } from './secret-input.js';

/** Where an effective value comes from. */
export type ValueOrigin =
  | { readonly kind: 'default' }
  | { readonly kind: 'file'; readonly scope: string; readonly location: SourceLocation };

export interface EffectiveValue {
  /** Its path in the output, like `memorySearch.query.maxResults`. */
  readonly path: string;
  readonly value: unknown;
  /** Several for a list concatenated from two places. */
  readonly origins: readonly ValueOrigin[];
}

/** The effective configuration, of everything or one agent. Secrets masked. */
export interface EffectiveConfig {
  readonly file: string | undefined;
  /** Plain JSON data. */
  readonly config: unknown;
  /** Every leaf of `config` in order; undefined unless origins were requested. */
  readonly values: readonly EffectiveValue[] | undefined;
  /** Warnings of the file's check. */
  readonly warnings: readonly Warning[];
}

export interface EffectiveOptions {
  /** Show only this agent's settings. */
  readonly agent?: string | undefined;
  readonly origins: boolean;
}

/**
 * The effective configuration, for `config show`.
 *
 * @throws SvcError as loadConfig, and AGENT_UNKNOWN
 */
export async function showConfig(
  context: EngineContext,
  { agent, origins, ...options }: EffectiveOptions & LoadConfigOptions,
): Promise<EffectiveConfig> {
  const loaded = await loadConfig(context, options);
  const { file, warnings } = loaded;
  const view = agent === undefined ? wholeView(loaded) : agentView(loaded, agent, context);
  if (!origins) return { file, config: view.data, values: undefined, warnings };
  const document = file === undefined ? undefined : await readDocument(file);
  const values = [...leaves(view.data, [])].map(({ path, value }) => ({
    path: formatPath(path),
    value,
    origins: originsOf(loaded, view.sources(path), document),
  }));
  return { file, config: view.data, values, warnings };
}

interface View {
  readonly data: unknown;
  /** Paths where a leaf may be written, by precedence. */
  readonly sources: (path: ConfigPath) => readonly ConfigPath[];
}

const DEFAULTS = ['agents', 'defaults'] as const;
const DEFAULT_SEARCH = [...DEFAULTS, 'memorySearch'] as const;

function wholeView(loaded: LoadedConfig): View {
  return {
    data: maskSecrets(loaded.resolved),
    sources: writingPlaces,
  };
}

function agentView(loaded: LoadedConfig, agentId: string, context: EngineContext): View {
  const agent = resolveAgent(loaded, agentId, context);
  const at = loaded.resolved.agents.list.findIndex((candidate) => candidate.id === agent.id);
  const agentPath: ConfigPath = ['agents', 'list', at];
  return {
    data: { ...agent, memorySearch: maskSecrets(agent.memorySearch, DEFAULT_SEARCH) },
    sources: ([key = '', ...rest]) => {
      const places: Readonly<Record<string, readonly ConfigPath[]>> = {
        id: [[...agentPath, 'id']],
        workspaceDir: agentPlaces(at, ['workspace']),
        userTimezone: [[...DEFAULTS, 'userTimezone']],
        dreamTimezone: [
          [...DREAMING_PATH, 'timezone'],
          [...DEFAULTS, 'userTimezone'],
        ],
        memoryBudget: [[...DREAMING_PATH, 'phases', 'deep', 'maxMemoryChars']],
        memorySearch: agentPlaces(at, [key, ...rest]),
        sessionReaders: [['sessions', 'readers', ...rest]],
        scope: [['memory', 'ext', 'scope', ...rest]],
        mcpWrite: [
          [...agentPath, 'mcp', 'write'],
          ['mcp', 'write'],
        ],
      };
      return places[key] ?? [['memory', key]];
    },
  };
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

function originsOf(
  loaded: LoadedConfig,
  sources: readonly ConfigPath[],
  document: ConfigDocument | undefined,
): readonly ValueOrigin[] {
  const written = sources.flatMap((source) => writtenPart(loaded.input, source) ?? []);
  if (written.length === 0 || document === undefined) return [{ kind: 'default' }];
  const joined = sources.some((source) =>
    source.some((part) => JOINED_LISTS.includes(String(part))),
  );
  return (joined ? written : written.slice(0, 1)).map((path) => ({
    kind: 'file',
    scope: scopeOf(path),
    location: document.locate(path),
  }));
}

/**
 * The path if the file has a value there, or the shorter path of a single value that contains it (a
 * secret string is shown in parts).
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

/** The part of the file: `agents.defaults`, `agents.list[0]`, or the root key. */
function scopeOf(path: ConfigPath): string {
  const [root, second, third] = path;
  if (root !== 'agents') return String(root);
  return second === 'list' && third !== undefined
    ? formatPath([root, second, third])
    : 'agents.defaults';
}
