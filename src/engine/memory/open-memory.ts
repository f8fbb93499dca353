import { join } from 'node:path';
import {
  type LoadedConfig,
  type LocateSetting,
  loadConfig,
  type ResolvedAgent,
  resolveAgent,
  resolveConfig,
  searchedAgents,
  settingLocator,
} from '../config/index.js';
import {
  createProviderPath,
  localModelWarning,
  type ProviderPath,
  type ProviderWorld,
  providerWorld,
} from '../embeddings/index.js';
import { SvcError, type Warning } from '../errors/index.js';
import { createReranking, type Reranking } from '../rerank/index.js';
import { type EngineContext, type StatePaths, typedPath } from '../support/context.js';
import { realOrGiven } from '../support/paths.js';
import { shellWord, shortHash } from '../support/text.js';
import { createBuiltinBackend } from './backends/builtin.js';
import type { PreparedExt } from './backends/ext/open-ext.js';
import { loggedBackend, type MemoryContext } from './backends/logged-backend.js';
import type { MemoryBackend } from './backends/memory-backend.js';
import { type ForgetPlaces, forgetPlaces } from './forgotten/index.js';
import { createFileHome, type IndexHome, sharedPlace } from './home/index.js';
import type { IndexSettings } from './index/index.js';
import {
  librariesDir,
  type MemorySources,
  memorySourcesOf,
  searchedSources,
  withArchive,
} from './sources/index.js';

/** Which memory is meant. */
export type MemorySelection =
  /** A configured agent; the default agent without an id. */
  | { readonly kind: 'agent'; readonly agentId?: string | undefined }
  /** Any folder of Markdown, independent of the configuration (`--workspace DIR`). */
  | { readonly kind: 'workspace'; readonly dir: string };

/** One memory, ready to be searched. */
export interface OpenedMemory {
  readonly agent: ResolvedAgent;
  /** Null with `--workspace`. */
  readonly agentId: string | null;
  /** Display name: the agent's id, or the folder. */
  readonly name: string;
  readonly backend: MemoryBackend;
  readonly home: IndexHome;
  /** What its index mirrors. */
  readonly sources: MemorySources;
  readonly forget: ForgetPlaces;
  /** Undefined with keyword search only. */
  readonly providers: ProviderPath | undefined;
  /** Undefined without `query.rerank`. */
  readonly reranking: Reranking | undefined;
  /** What provider selection depends on. */
  readonly world: ProviderWorld;
  readonly locate: LocateSetting;
  /** Undefined with the built-in engine. */
  readonly ext: Pick<PreparedExt, 'diagnose' | 'settings'> | undefined;
  readonly warnings: readonly Warning[];
}

export interface OpenMemoryOptions {
  /** The file named by `--config`. */
  readonly configFile?: string | undefined;
  /** For processes that search often: an external search tool stays connected. */
  readonly longLived?: boolean | undefined;
  /** Overrides `memory.ext.searchMode`. */
  readonly extMode?: PreparedExt['settings']['mode'] | undefined;
  readonly trial?: MemoryTrial | undefined;
}

/**
 * Opens one memory. Nothing is read from its index yet; close its backend when done.
 *
 * @throws SvcError AGENT_UNKNOWN, MEMORY_DISABLED, CONFIG_*
 */
export async function openMemory(
  context: MemoryContext,
  selection: MemorySelection,
  options: OpenMemoryOptions = {},
): Promise<OpenedMemory> {
  if (selection.kind === 'workspace') return openWorkspace(context, selection.dir, options);
  const loaded = await withTrial(await loadConfig(context, options), options);
  const agent = resolveAgent(loaded, selection.agentId, context);
  if (!agent.memorySearch.enabled) throw await memoryDisabled(agent, loaded);
  return openAgent(agent, context, loaded, options);
}

/** Opens the memories of all agents with memory search enabled. */
export async function openAllMemories(
  context: MemoryContext,
  options: OpenMemoryOptions = {},
): Promise<readonly OpenedMemory[]> {
  const loaded = await loadConfig(context, options);
  const agents = searchedAgents(loaded, context);
  return Promise.all(agents.map((agent) => openAgent(agent, context, loaded, options)));
}

/** Opens an agent's memory with a configuration that is already loaded. */
export async function openAgent(
  configured: ResolvedAgent,
  context: MemoryContext,
  loaded: LoadedConfig,
  options: OpenMemoryOptions,
): Promise<OpenedMemory> {
  const agent = atTrialIndex(configured, configured.id, options.trial, context.state);
  // Trials only change settings of the built-in engine.
  const external =
    agent.backend === 'ext' && options.trial === undefined
      ? await import('./backends/ext/open-ext.js').then(({ prepareExt }) =>
          prepareExt(agent, context, loaded, options),
        )
      : undefined;
  const sources = external?.sources ?? (await agentSources(agent, context));
  const forget = forgetPlaces(context.state, agent.id);
  const home = await homeOf({ agent, forget, sources }, context, loaded, options);
  const created = createBuiltin({ agent, forget, home, sources, context, loaded, external });
  const backend = external?.open(created.backend) ?? created.backend;
  return {
    agent,
    agentId: agent.id,
    name: agent.id,
    ...created,
    sources: external?.watched ?? created.sources,
    backend: loggedBackend(backend, { agent, shared: home.others?.place, context, loaded }),
    ext: external,
  };
}

async function agentSources(agent: ResolvedAgent, context: EngineContext): Promise<MemorySources> {
  const { memory, transcripts } = memorySourcesOf(agent, 'agent', context);
  return { memory, transcripts: await withArchive(transcripts, agent, context) };
}

async function openWorkspace(
  context: EngineContext,
  dir: string,
  options: OpenMemoryOptions,
): Promise<OpenedMemory> {
  // A folder ignores any svc.json above it; only an explicit --config applies.
  const configured: LoadedConfig =
    options.configFile === undefined
      ? { file: undefined, input: {}, resolved: resolveConfig({}), warnings: [] }
      : await loadConfig(context, options);
  const loaded = await withTrial(configured, options);
  const given = typedPath(dir, context);
  // Its real path, so that it has one index and one forget list however it was typed; a missing folder's path as it is,
  // which the scan reports.
  const workspaceDir = realOrGiven(given);
  const base = resolveAgent(loaded, undefined, context);
  // Each folder has its own index, whichever path leads to it.
  const indexName = `workspace-${shortHash(workspaceDir)}`;
  const path = join(context.state.cacheDir, 'memory', `${indexName}.sqlite`);
  const folder: ResolvedAgent = {
    ...base,
    workspaceDir,
    memorySearch: {
      ...base.memorySearch,
      extraPaths: [],
      store: { ...base.memorySearch.store, path },
    },
  };
  const agent = atTrialIndex(folder, indexName, options.trial, context.state);
  const { path: indexFile, vector: vectors } = agent.memorySearch.store;
  const forget = forgetPlaces(context.state, indexName);
  const home = createFileHome({ indexFile, vectors, listFile: forget.listFile });
  const sources = memorySourcesOf(agent, 'folder', context);
  return {
    agent,
    agentId: null,
    name: dir,
    ...createBuiltin({ agent, forget, home, sources, context, loaded }),
    // The external program's collections belong to agents, so a folder uses the built-in engine.
    ext: undefined,
  };
}

interface BuiltinParts extends Pick<OpenedMemory, 'agent' | 'forget' | 'home' | 'sources'> {
  readonly context: EngineContext;
  readonly loaded: LoadedConfig;
  readonly external?: PreparedExt | undefined;
}

function createBuiltin({ agent, forget, home, sources, context, loaded, external }: BuiltinParts) {
  const { cache, query, store, sync } = agent.memorySearch;
  const { hybrid } = query;
  // The schema rejects two zeros.
  const weights = hybrid.textWeight + hybrid.vectorWeight;
  const world = providerWorld(loaded, context);
  // Lexical mode never embeds, whichever backend answers (spec/memory-search §2.12, rule 1).
  const providers =
    external?.settings.mode === 'search'
      ? undefined
      : createProviderPath(agent.memorySearch, world, context.clock);
  const reranking = createReranking({
    settings: agent.memorySearch,
    world,
    clock: context.clock,
    cacheFile: join(context.state.cacheDir, 'rerank.sqlite'),
  });
  const backend = createBuiltinBackend({
    target: {
      indexFile: store.path,
      home,
      settings: {
        ...indexSettings(agent, sources),
        workspace: home.others === undefined ? sources.memory.workspaceDir : undefined,
      },
      sources,
      librariesDir: librariesDir(context.state.stateDir),
      forget,
    },
    search: {
      citations: agent.citations,
      timeZone: agent.userTimezone,
      sources: searchedSources(agent, sources.memory.layout),
      snippetChars: query.snippetChars,
      candidateMultiplier: hybrid.candidateMultiplier,
      maxResults: query.maxResults,
      minScore: query.minScore,
      shares: { text: hybrid.textWeight / weights, vector: hybrid.vectorWeight / weights },
      hybrid: hybrid.enabled,
      halfLifeDays: hybrid.temporalDecay.enabled ? hybrid.temporalDecay.halfLifeDays : undefined,
      mmrLambda: hybrid.mmr.enabled ? hybrid.mmr.lambda : undefined,
      reranking,
    },
    syncOnSearch: sync.onSearch,
    clock: context.clock,
    providers,
    cacheEntries: cache.enabled ? cache.maxEntries : 0,
  });
  const locate = settingLocator(loaded, agent.id);
  const unused =
    external === undefined
      ? localModelWarning(providers?.primary.choice, agent.memorySearch, world)
      : undefined;
  const warnings = unused === undefined ? loaded.warnings : [...loaded.warnings, unused];
  return { backend, home, sources, forget, providers, reranking, world, locate, warnings };
}

/** Where the index of an agent is. Trials with an index of their own keep it in a file. */
async function homeOf(
  { agent, forget: { listFile }, sources }: Pick<OpenedMemory, 'agent' | 'forget' | 'sources'>,
  context: EngineContext,
  loaded: LoadedConfig,
  { trial }: OpenMemoryOptions,
): Promise<IndexHome> {
  const indexFile = agent.memorySearch.store.path;
  const place = sharedPlace(agent.id, loaded, context);
  if (place === undefined || trial?.indexKey !== undefined) {
    return createFileHome({ indexFile, vectors: agent.memorySearch.store.vector, listFile });
  }
  const { createSharedHome } = await import('./home/shared-home.js');
  const settings = indexSettings(agent, sources);
  return createSharedHome({ place, settings, context, indexFile, listFile });
}

function indexSettings(
  { memorySearch: { chunking, store } }: ResolvedAgent,
  { transcripts }: MemorySources,
): IndexSettings {
  const folders = (transcripts?.places ?? []).flatMap(({ projectFolders }) => projectFolders ?? []);
  const conversationsIn = [...new Set(folders)].join(', ');
  return { chunking, tokenizer: store.fts.tokenizer, conversationsIn };
}

export async function memoryDisabled(
  { id }: Pick<ResolvedAgent, 'id'>,
  loaded: LoadedConfig,
): Promise<SvcError> {
  return new SvcError('MEMORY_DISABLED', `memory search is off for agent ${id}`, {
    hint: await enablingHint(id, loaded),
  });
}

/** How to turn memory search on for an agent, where it is turned off. */
export async function enablingHint(agentId: string, loaded: LoadedConfig): Promise<string> {
  const written = await settingLocator(loaded, agentId)(['memorySearch', 'enabled']);
  const path = written?.path ?? 'agents.defaults.memorySearch.enabled';
  return `run "svc config set ${shellWord(path)} true"`;
}

/** A memory opened to try other settings. */
export interface MemoryTrial {
  /** Merged over `memorySearch`, as in `svc.json`. */
  readonly settings: Readonly<Record<string, unknown>>;
  /**
   * Name of a separate index, for settings that change what is indexed: a trial never touches the user's
   * index. Undefined for settings that only affect searching.
   */
  readonly indexKey: string | undefined;
}

/** Where trial indexes are; they can be deleted at any time. */
export function trialIndexFolder({ cacheDir }: Pick<StatePaths, 'cacheDir'>): string {
  return join(cacheDir, 'memory', 'trials');
}

/** @throws SvcError USAGE when the settings are invalid */
async function withTrial(
  loaded: LoadedConfig,
  { trial }: OpenMemoryOptions,
): Promise<LoadedConfig> {
  if (trial === undefined || Object.keys(trial.settings).length === 0) return loaded;
  const { withTrialSettings } = await import('../config/trial-settings.js');
  return withTrialSettings(loaded, trial.settings);
}

/** The agent with the trial's index, if it has one. */
function atTrialIndex(
  agent: ResolvedAgent,
  indexName: string,
  trial: MemoryTrial | undefined,
  state: StatePaths,
): ResolvedAgent {
  if (trial?.indexKey === undefined) return agent;
  const { memorySearch, workspaceDir } = agent;
  const name = `${indexName}-${shortHash(`${workspaceDir}\n${trial.indexKey}`)}.sqlite`;
  const path = join(trialIndexFolder(state), name);
  return { ...agent, memorySearch: { ...memorySearch, store: { ...memorySearch.store, path } } };
}
