import { join } from 'node:path';
import type { LoadedConfig, ResolvedAgent } from '../../../config/index.js';
import type { EngineContext } from '../../../context.js';
import type { Diagnosis } from '../../../embeddings/diagnosis/index.js';
import { forgetPlaces } from '../../forget/forget-places.js';
import { memorySourcesOf, transcriptSources } from '../../sources/memory-sources.js';
import type { MemorySources } from '../../sources/scan-sources.js';
import type { MemoryBackend } from '../memory-backend.js';
import type { ExtDiagnosisWork } from './diagnose-ext.js';
import { ExtBackend } from './ext-backend.js';
import { type ExtMode, type ExtSettings, extSettings } from './ext-settings.js';
import { sourcesBeside } from './ext-sources.js';
import { openTool, type Tool } from './tool/open-tool.js';

/** The external backend of one agent, made ready to stand over the builtin one. */
export interface PreparedExt {
  readonly settings: ExtSettings;
  /** What the builtin engine mirrors beside it. */
  readonly sources: MemorySources;
  /** What is watched for both. */
  readonly watched: MemorySources;
  /** Makes it; nothing is run yet. */
  open(builtin: MemoryBackend): MemoryBackend;
  /** Tries it step by step. */
  diagnose(work: ExtDiagnosisWork): Promise<Diagnosis>;
}

/** Settles everything about the external backend of an agent; runs nothing. */
export function prepareExt(
  agent: ResolvedAgent,
  context: EngineContext,
  loaded: LoadedConfig,
  options: { readonly longLived?: boolean | undefined; readonly extMode?: ExtMode | undefined },
): PreparedExt {
  const settings = extSettings(agent, context, loaded, options.extMode);
  const own = memorySourcesOf(agent, 'agent', context);
  const transcripts = settings.sessions.enabled ? transcriptSources(agent, context) : undefined;
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
      return diagnoseExt({ settings, openTool: find, clock }, work);
    },
  };
}

function sessionOpener(searchTool: string | undefined) {
  return async (tool: Tool) => {
    // The MCP client is large, and only for a process that lives on.
    const { McpSession } = await import('./tool/mcp-session.js');
    const { Minder } = await import('../../../child/minder.js');
    const minder = new Minder(process.execPath);
    return new McpSession({ tool, searchTool, mind: minder.mind, onClosed: () => minder.close() });
  };
}

/** Where the program keeps its models when a person runs it. */
function modelsDir({ env, homeDir }: EngineContext): string {
  return join(env['XDG_CACHE_HOME'] ?? join(homeDir, '.cache'), 'qmd', 'models');
}
