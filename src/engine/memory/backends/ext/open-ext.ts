import { dirname, join, resolve } from 'node:path';
import type { LoadedConfig, ResolvedAgent, ResolvedMemory } from '../../../config/index.js';
import type { Diagnosis, DiagnosisWork } from '../../../embeddings/index.js';
import type { EngineContext } from '../../../support/context.js';
import { resolvePath } from '../../../support/files.js';
import { UNIT_MS } from '../../../support/time.js';
import { forgetPlaces } from '../../forget/index.js';
import {
  type MemorySources,
  memorySourcesOf,
  transcriptSources,
  withArchive,
} from '../../sources/index.js';
import type { MemoryBackend } from '../memory-backend.js';
import { type Collection, collectionsOf, sourcesBeside } from './collections.js';
import { ExtBackend } from './ext-backend.js';
import { openTool, type Tool } from './tool/open-tool.js';

/** The external backend of one agent, ready to be put in front of the builtin one. */
export interface PreparedExt {
  readonly settings: ExtSettings;
  /** What the builtin engine mirrors. */
  readonly sources: MemorySources;
  /** What to watch for both. */
  readonly watched: MemorySources;
  /** Creates the backend; runs nothing. */
  open(builtin: MemoryBackend): MemoryBackend;
  /** Diagnoses it step by step. */
  diagnose(work: DiagnosisWork): Promise<Diagnosis>;
}

/** Resolves the external backend of an agent; runs nothing. */
export async function prepareExt(
  agent: ResolvedAgent,
  context: EngineContext,
  loaded: LoadedConfig,
  options: { readonly longLived?: boolean | undefined; readonly extMode?: ExtMode | undefined },
): Promise<PreparedExt> {
  const settings = extSettings(agent, context, loaded, options.extMode);
  const own = memorySourcesOf(agent, 'agent', context);
  const transcripts = settings.sessions.enabled
    ? await withArchive(transcriptSources(agent, context), agent, context)
    : undefined;
  const { mirrored, watched } = sourcesBeside(own, transcripts, settings.collections);
  const { sync, chunking } = agent.memorySearch;
  const { longLived = false } = options;
  const { clock } = context;
  const find = (): Tool => openTool(settings.command, settings.dir, context, loaded);
  return {
    settings,
    sources: mirrored,
    watched,
    open: (builtin) =>
      new ExtBackend({
        settings,
        openTool: find,
        builtin,
        sources: mirrored,
        transcripts,
        forget: forgetPlaces(context.state, agent.id),
        citations: agent.citations,
        chunking,
        syncOnSearch: sync.onSearch,
        syncOnSessionStart: sync.onSessionStart,
        clock,
        openSession: longLived ? sessionOpener(settings.searchTool) : undefined,
        lockFile: join(context.state.stateDir, 'qmd', 'update.lock'),
        modelsDir: modelsDir(context),
      }),
    diagnose: async (work) => {
      const { diagnoseExt } = await import('./diagnose-ext.js');
      return diagnoseExt({ settings, openTool: find }, work);
    },
  };
}

function sessionOpener(searchTool: string | undefined) {
  return async (tool: Tool) => {
    // The MCP client is large, and only long-lived processes need it.
    const { McpSession } = await import('./tool/mcp-session.js');
    const { Minder } = await import('../../../child/minder.js');
    const minder = new Minder(process.execPath);
    return new McpSession({ tool, searchTool, mind: minder.mind, onClosed: () => minder.close() });
  };
}

/** Where the program keeps its models when the user runs it. */
function modelsDir({ env, homeDir }: EngineContext): string {
  return join(env['XDG_CACHE_HOME'] ?? join(homeDir, '.cache'), 'qmd', 'models');
}

/** Lexical, vectors, or both with re-ranking (spec/memory-search §2.12). */
export type ExtMode = ResolvedMemory['ext']['searchMode'];

/** `memory.ext` for one agent, with absolute paths and durations in milliseconds. */
export interface ExtSettings {
  readonly command: string;
  readonly mode: ExtMode;
  /** Custom name of the program's MCP search tool. */
  readonly searchTool: string | undefined;
  /** Absolute path of the agent's folder for the program. */
  readonly dir: string;
  /** Absolute path. */
  readonly workspaceDir: string;
  readonly sessions: {
    readonly enabled: boolean;
    /** Absolute path. */
    readonly exportDir: string;
    readonly retentionDays: number | undefined;
  };
  readonly limits: ResolvedMemory['ext']['limits'];
  readonly update: {
    /** 0 for never. */
    readonly intervalMs: number;
    readonly debounceMs: number;
    readonly onBoot: boolean;
    /** 0 for never. */
    readonly embedIntervalMs: number;
    readonly commandTimeoutMs: number;
    readonly updateTimeoutMs: number;
    readonly embedTimeoutMs: number;
  };
  /** Evaluated each time, because folders come and go. */
  readonly collections: () => readonly Collection[];
}

export function extSettings(
  agent: ResolvedAgent,
  context: Pick<EngineContext, 'cwd' | 'homeDir' | 'state'>,
  loaded: Pick<LoadedConfig, 'file' | 'resolved'>,
  mode: ExtMode = loaded.resolved.memory.ext.searchMode,
): ExtSettings {
  const { ext } = loaded.resolved.memory;
  const dir = join(context.state.stateDir, 'agents', agent.id, 'qmd');
  const base = loaded.file === undefined ? context.cwd : dirname(loaded.file);
  const { enabled, exportDir, retentionDays } = ext.sessions;
  const sessionsDir =
    exportDir === undefined
      ? join(dir, 'sessions')
      : resolvePath(ofAgent(exportDir, agent.id), base, context.homeDir);
  const { interval, embedInterval, ...update } = ext.update;
  return {
    command: ext.command,
    mode,
    searchTool: ext.searchTool,
    dir,
    workspaceDir: resolve(agent.workspaceDir),
    sessions: { enabled, exportDir: sessionsDir, retentionDays },
    limits: ext.limits,
    update: {
      ...update,
      intervalMs: milliseconds(interval),
      embedIntervalMs: milliseconds(embedInterval),
    },
    collections: () =>
      collectionsOf({ agent, ext, exportDir: sessionsDir, homeDir: context.homeDir }),
  };
}

/** Agents never share an export folder: one would find the other's conversations. */
function ofAgent(exportDir: string, agentId: string): string {
  const token = '{agentId}';
  return exportDir.includes(token)
    ? exportDir.replaceAll(token, agentId)
    : join(exportDir, agentId);
}

/** A duration that the schema has validated; `0` is never. */
export function milliseconds(duration: string): number {
  const match = /^(\d+)(ms|s|m|h|d)?$/u.exec(duration);
  return Number(match?.[1] ?? 0) * (UNIT_MS[match?.[2] ?? ''] ?? 0);
}
