import { join, resolve } from 'node:path';
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
import type { EngineContext } from '../context.js';
import { createProviderPath, type ProviderPath, type ProviderWorld } from '../embeddings/index.js';
import { providerWorld } from '../embeddings/provider-world.js';
import { SvcError, type Warning } from '../errors/index.js';
import { realOrGiven } from '../real-path.js';
import { shortHash } from '../short-hash.js';
import { BuiltinBackend } from './backends/builtin.js';
import type { ExtMode } from './backends/ext/ext-settings.js';
import type { PreparedExt } from './backends/ext/open-ext.js';
import { heardBackend } from './backends/heard-backend.js';
import type { MemoryBackend } from './backends/memory-backend.js';
import { forgetPlaces } from './forget/forget-places.js';
import { atTrialIndex, type MemoryTrial, tried } from './memory-trial.js';
import type { FusionShares } from './search/fuse.js';
import { memorySourcesOf, searchedSources } from './sources/memory-sources.js';
import type { MemorySources } from './sources/scan-sources.js';

/** Whose memory is meant. */
export type MemorySelection =
  /** An agent of the configuration; the default one when no id is given. */
  | { readonly kind: 'agent'; readonly agentId?: string | undefined }
  /** Any folder of Markdown, apart from all configuration (`--workspace DIR`). */
  | { readonly kind: 'workspace'; readonly dir: string };

/** One memory, ready to be searched. */
export interface OpenedMemory {
  readonly agent: ResolvedAgent;
  /** Null for a folder named by `--workspace`. */
  readonly agentId: string | null;
  /** What people call it: the agent's id, or the folder. */
  readonly name: string;
  readonly backend: MemoryBackend;
  /** What its index mirrors. */
  readonly sources: MemorySources;
  /** Who embeds; undefined where only words are searched. */
  readonly providers: ProviderPath | undefined;
  /** What choosing providers looks at. */
  readonly world: ProviderWorld;
  readonly locate: LocateSetting;
  /** The external backend; undefined where the builtin engine is configured. */
  readonly ext: Pick<PreparedExt, 'diagnose' | 'settings'> | undefined;
  readonly warnings: readonly Warning[];
}

/** How memories are opened. */
export interface OpenMemoryOptions {
  /** The file named by `--config`. */
  readonly configFile?: string | undefined;
  /** The process lives on and syncs again and again: its memories keep their connections open. */
  readonly longLived?: boolean | undefined;
  /** Another mode of the external backend than `memory.ext.searchMode`. */
  readonly extMode?: ExtMode | undefined;
  /** Other settings than those of the configuration. */
  readonly trial?: MemoryTrial | undefined;
}

/**
 * Opens one memory. Nothing is read from its index yet; close its backend when done.
 *
 * @throws SvcError AGENT_UNKNOWN, MEMORY_DISABLED, CONFIG_*
 */
export async function openMemory(
  context: EngineContext,
  selection: MemorySelection,
  options: OpenMemoryOptions = {},
): Promise<OpenedMemory> {
  if (selection.kind === 'workspace') return openWorkspace(context, selection.dir, options);
  const loaded = await tried(await loadConfig(context, options), options.trial);
  const agent = resolveAgent(loaded, selection.agentId, context);
  if (!agent.memorySearch.enabled) throw memoryDisabled(agent);
  return openAgent(agent, context, loaded, options);
}

/** Opens the memories of all agents that have memory search switched on. */
export async function openAllMemories(
  context: EngineContext,
  options: OpenMemoryOptions = {},
): Promise<readonly OpenedMemory[]> {
  const loaded = await loadConfig(context, options);
  const agents = searchedAgents(loaded, context);
  return Promise.all(agents.map((agent) => openAgent(agent, context, loaded, options)));
}

/** Opens the memory of an agent as a configuration that was read before has it. */
export async function openAgent(
  configured: ResolvedAgent,
  context: EngineContext,
  loaded: LoadedConfig,
  options: OpenMemoryOptions,
): Promise<OpenedMemory> {
  const agent = atTrialIndex(configured, configured.id, options.trial, context.state);
  // What is tried are settings of the builtin engine.
  const external =
    agent.backend === 'ext' && options.trial === undefined
      ? await import('./backends/ext/open-ext.js').then(({ prepareExt }) =>
          prepareExt(agent, context, loaded, options),
        )
      : undefined;
  const created = createBuiltin(agent, 'agent', agent.id, context, loaded, options, external);
  const backend = external?.open(created.backend) ?? created.backend;
  return {
    agent,
    agentId: agent.id,
    name: agent.id,
    ...created,
    sources: external?.watched ?? created.sources,
    backend: heardWhileDreaming(backend, agent, context, loaded),
    ext: external,
    warnings: loaded.warnings,
  };
}

/** What is recalled is kept only where dreaming makes something of it. */
function heardWhileDreaming(
  backend: MemoryBackend,
  { workspaceDir }: ResolvedAgent,
  { onRecall }: EngineContext,
  { resolved }: LoadedConfig,
): MemoryBackend {
  const { dreaming } = resolved.plugins.entries['memory-core'].config;
  return onRecall === undefined || !dreaming.enabled
    ? backend
    : heardBackend(backend, (response) => onRecall({ workspaceDir, response }));
}

async function openWorkspace(
  context: EngineContext,
  dir: string,
  options: OpenMemoryOptions,
): Promise<OpenedMemory> {
  // A folder is searched with the defaults whatever svc.json lies above it; only one that is named
  // on purpose counts.
  const configured: LoadedConfig =
    options.configFile === undefined
      ? { file: undefined, input: {}, resolved: resolveConfig({}), warnings: [] }
      : await loadConfig(context, options);
  const loaded = await tried(configured, options.trial);
  // The scan explains what is wrong with one that is not there.
  const workspaceDir = realOrGiven(resolve(context.cwd, dir));
  const base = resolveAgent(loaded, undefined, context);
  const indexName = workspaceIndexName(workspaceDir);
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
  return {
    agent,
    agentId: null,
    name: dir,
    ...createBuiltin(agent, 'folder', indexName, context, loaded, options),
    // The external program has collections of agents; a folder is the builtin engine's.
    ext: undefined,
    warnings: loaded.warnings,
  };
}

/** Two folders never share an index, and one keeps its own under every path that leads to it. */
function workspaceIndexName(workspaceDir: string): string {
  return `workspace-${shortHash(workspaceDir)}`;
}

function createBuiltin(
  agent: ResolvedAgent,
  layout: 'agent' | 'folder',
  indexName: string,
  context: EngineContext,
  loaded: LoadedConfig,
  { longLived = false }: OpenMemoryOptions,
  external?: PreparedExt,
): Pick<OpenedMemory, 'backend' | 'locate' | 'providers' | 'sources' | 'world'> {
  const { cache, chunking, query, store, sync } = agent.memorySearch;
  const { hybrid } = query;
  const world = providerWorld(loaded, context);
  const sources = external?.sources ?? memorySourcesOf(agent, layout, context);
  // Its lexical mode embeds nothing, whoever answers (spec/memory-search §2.12, rule 1).
  const providers =
    external?.settings.mode === 'search'
      ? undefined
      : createProviderPath(agent.memorySearch, world, context.clock);
  const backend = new BuiltinBackend({
    target: {
      indexFile: store.path,
      settings: {
        chunking,
        tokenizer: store.fts.tokenizer,
        conversationsIn: sortedOut(sources),
      },
      vectors: store.vector,
      sources,
      forget: forgetPlaces(context.state, indexName),
    },
    search: {
      citations: agent.citations,
      sources: searchedSources(agent, layout),
      snippetChars: query.snippetChars,
      candidateMultiplier: hybrid.candidateMultiplier,
      maxResults: query.maxResults,
      minScore: query.minScore,
      shares: sharesOf(hybrid),
      hybrid: hybrid.enabled,
      halfLifeDays: hybrid.temporalDecay.enabled ? hybrid.temporalDecay.halfLifeDays : undefined,
      mmrLambda: hybrid.mmr.enabled ? hybrid.mmr.lambda : undefined,
    },
    syncOnSearch: sync.onSearch,
    syncOnSessionStart: sync.onSessionStart,
    clock: context.clock,
    providers,
    cacheEntries: cache.enabled ? cache.maxEntries : 0,
    keepConnections: longLived,
  });
  return { backend, sources, providers, world, locate: settingLocator(loaded, agent.id) };
}

/** The folders that conversations are sorted by, as they stand in the identity of an index. */
function sortedOut({ transcripts }: MemorySources): string {
  const folders = (transcripts?.places ?? []).flatMap(({ heldIn }) => heldIn ?? []);
  return [...new Set(folders)].join(', ');
}

/** The configured weights as shares that add up to 1; the schema refuses two zeros. */
function sharesOf(weights: {
  readonly textWeight: number;
  readonly vectorWeight: number;
}): FusionShares {
  const sum = weights.textWeight + weights.vectorWeight;
  return { text: weights.textWeight / sum, vector: weights.vectorWeight / sum };
}

/** What is said where a memory is switched off. */
export function memoryDisabled(agent: ResolvedAgent): SvcError {
  return new SvcError('MEMORY_DISABLED', `memory search is switched off for agent ${agent.id}`, {
    hint: "svc config set agents.defaults.memorySearch.enabled true, or the agent's own key",
  });
}
