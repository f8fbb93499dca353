import { join } from 'node:path';
import type { LoadedConfig, ResolvedAgent } from '../../../config/index.js';
import type { DiagnosisWork } from '../../../embeddings/index.js';
import type { EngineContext } from '../../../support/context.js';
import { forgetPlaces } from '../../forgotten/index.js';
import { memorySourcesOf, transcriptSources, withArchive } from '../../sources/index.js';
import type { MemoryBackend } from '../memory-backend.js';
import { externalSources } from './collections.js';
import { createExtBackend } from './ext-backend.js';
import { extSettings } from './ext-settings.js';
import type { ExtMode } from './tool/ask-program.js';
import { openTool, type Tool } from './tool/open-tool.js';

/** The external backend of one agent, ready to be put in front of the builtin one. */
export type PreparedExt = Awaited<ReturnType<typeof prepareExt>>;

/** Resolves the external backend of an agent; runs nothing. */
export async function prepareExt(
  agent: ResolvedAgent,
  context: EngineContext,
  loaded: LoadedConfig,
  options: { readonly longLived?: boolean | undefined; readonly extMode?: ExtMode | undefined },
) {
  const settings = extSettings(agent, context, loaded, options.extMode);
  const own = memorySourcesOf(agent, 'agent', context);
  const transcripts = settings.sessions.enabled
    ? await withArchive(transcriptSources(agent, context), agent, context)
    : undefined;
  const { mirrored, watched } = externalSources(own, transcripts, settings.collections);
  const { sync } = agent.memorySearch;
  const { clock } = context;
  const find = (): Tool => openTool(settings.command, settings.dir, context, loaded);
  return {
    settings,
    /** What the built-in engine mirrors. */
    sources: mirrored,
    /** What to watch for both. */
    watched,
    /** Creates the backend; runs nothing. */
    open: (builtin: MemoryBackend): MemoryBackend =>
      createExtBackend({
        settings,
        openTool: find,
        builtin,
        sources: mirrored,
        transcripts,
        forget: forgetPlaces(context.state, agent.id),
        citations: agent.citations,
        syncOnSearch: sync.onSearch,
        clock,
        openSession: options.longLived === true ? sessionOpener(settings.searchTool) : undefined,
        lockFile: join(context.state.stateDir, 'qmd', 'update.lock'),
        modelsDir: modelsDir(context),
      }),
    diagnose: async (work: DiagnosisWork) => {
      const { diagnoseExt } = await import('./diagnose-ext.js');
      return diagnoseExt(settings, find, work);
    },
  };
}

function sessionOpener(searchTool: string | undefined) {
  return async (tool: Tool) => {
    // The MCP client is large, and only long-lived processes need it.
    const { McpSession } = await import('./tool/mcp-session.js');
    const { Minder } = await import('../../../child/minder.js');
    const minder = new Minder(process.execPath);
    return new McpSession({
      tool,
      searchTool,
      announce: minder.announce,
      onClosed: () => minder.close(),
    });
  };
}

/** Where the program keeps its models when the user runs it. */
function modelsDir({ env, homeDir }: EngineContext): string {
  return join(env['XDG_CACHE_HOME'] || join(homeDir, '.cache'), 'qmd', 'models');
}
