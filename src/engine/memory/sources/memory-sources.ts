import { join } from 'node:path';
import { isSessionReader, type ResolvedAgent } from '../../config/index.js';
import type { EngineContext } from '../../context.js';
import { realOrGiven } from '../../real-path.js';
import type { Source } from '../types.js';
import { type MediaSelection, MODALITIES } from './media-names.js';
import type { WorkspaceLayout } from './memory-files.js';
import type { MemorySources } from './scan-sources.js';
import { TRANSCRIPT_READERS } from './transcripts/readers/all-readers.js';
import type { TranscriptPlace, TranscriptSources } from './transcripts/transcript-files.js';

/** What an agent's index mirrors, as its settings have it. */
export function memorySourcesOf(
  agent: ResolvedAgent,
  layout: WorkspaceLayout,
  world: Pick<EngineContext, 'env' | 'homeDir' | 'state'>,
): MemorySources {
  const { extraPaths, multimodal } = agent.memorySearch;
  const media = mediaSelection(multimodal);
  const memory = { workspaceDir: agent.workspaceDir, layout, extraPaths, media };
  return searchedSources(agent, layout).includes('sessions')
    ? { memory, transcripts: transcriptSources(agent, world) }
    : { memory };
}

/**
 * The sources that answers come from: what `sources` names, sessions only with the switch for them
 * (memory search §2.10), and never for a folder that is searched apart from all configuration.
 */
export function searchedSources(
  { memorySearch: { sources, experimental } }: ResolvedAgent,
  layout: WorkspaceLayout,
): readonly Source[] {
  const withSessions = layout === 'agent' && experimental.sessionMemory;
  return [...new Set(sources)].filter((source) => source !== 'sessions' || withSessions);
}

/** Where the conversations of an agent lie, whether they are searched or not. */
export function transcriptSources(
  agent: ResolvedAgent,
  { env, homeDir, state }: Pick<EngineContext, 'env' | 'homeDir' | 'state'>,
): TranscriptSources {
  const agentSessionsDir = join(state.stateDir, 'agents', agent.id, 'sessions');
  const projects = [...new Set(agent.projectDirs.flatMap((dir) => [dir, realOrGiven(dir)]))];
  const places = agent.sessionReaders.flatMap(({ id, path }): readonly TranscriptPlace[] => {
    if (!isSessionReader(id)) return [];
    const root = path ?? TRANSCRIPT_READERS[id].usualPlace({ env, homeDir, agentSessionsDir });
    const label = `sessions/${id === 'svc' ? agent.id : id}`;
    const takesAll = id === 'svc' || path !== undefined;
    return [{ reader: id, root, label, heldIn: takesAll ? undefined : projects }];
  });
  const { deltaBytes, deltaMessages, postCompactionForce } = agent.memorySearch.sync.sessions;
  return { places, growth: { deltaBytes, deltaMessages, postCompactionForce } };
}

/** Which media belong to a memory; undefined where none do. All kinds where none is named. */
function mediaSelection({
  enabled,
  modalities = ['all'],
  maxFileBytes,
}: ResolvedAgent['memorySearch']['multimodal']): MediaSelection | undefined {
  if (!enabled) return undefined;
  const all = modalities.includes('all');
  return {
    modalities: new Set(MODALITIES.filter((modality) => all || modalities.includes(modality))),
    maxFileBytes,
  };
}
