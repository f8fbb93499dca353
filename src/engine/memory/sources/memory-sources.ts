import { join } from 'node:path';
import { isSessionReader, type ResolvedAgent } from '../../config/index.js';
import type { EngineContext } from '../../support/context.js';
import { realOrGiven } from '../../support/paths.js';
import type { Source } from '../types.js';
import type { ArchiveSettings } from './archive/session-archive.js';
import type { ExcludeSettings } from './exclude.js';
import { type MediaSelection, MODALITIES } from './media.js';
import {
  type MemoryFilesOptions,
  type Scan,
  scanMemoryFiles,
  type WorkspaceLayout,
} from './memory-files.js';
import { TRANSCRIPT_READERS } from './transcripts/readers/index.js';
import { scanTranscripts, type TranscriptSources } from './transcripts/transcript-files.js';
import type { TranscriptPlace } from './transcripts/transcript-reader.js';

/** What an agent's index mirrors according to its settings. */
export function memorySourcesOf(
  agent: ResolvedAgent,
  layout: WorkspaceLayout,
  context: Pick<EngineContext, 'env' | 'homeDir' | 'state'>,
): MemorySources {
  const { extraPaths, multimodal, documents } = agent.memorySearch;
  const searchesSessions = searchedSources(agent, layout).includes('sessions');
  return {
    memory: {
      workspaceDir: agent.workspaceDir,
      layout,
      extraPaths,
      media: mediaSelection(multimodal),
      documents,
      exclude: excludeSettings(agent),
    },
    transcripts: searchesSessions ? transcriptSources(agent, context) : undefined,
  };
}

/** What an agent's memory leaves out. */
export function excludeSettings({ memorySearch }: ResolvedAgent): ExcludeSettings {
  return { patterns: memorySearch.exclude, respectGitignore: memorySearch.respectGitignore };
}

/** The sources to answer from: those in `sources`, sessions only if enabled (memory search §2.10). A folder has notes only. */
export function searchedSources(
  { memorySearch: { sources, experimental } }: ResolvedAgent,
  layout: WorkspaceLayout,
): readonly Source[] {
  if (layout === 'folder') return ['memory'];
  return [...new Set(sources)].filter(
    (source) => source !== 'sessions' || experimental.sessionMemory,
  );
}

/** Where an agent's conversations are, searched or not. */
export function transcriptSources(
  agent: ResolvedAgent,
  { env, homeDir, state }: Pick<EngineContext, 'env' | 'homeDir' | 'state'>,
): TranscriptSources {
  const agentSessionsDir = join(state.stateDir, 'agents', agent.id, 'sessions');
  const projects = [...new Set(agent.projectDirs.flatMap((dir) => [dir, realOrGiven(dir)]))];
  const places = agent.sessionReaders.flatMap(({ id, path }): readonly TranscriptPlace[] => {
    if (!isSessionReader(id)) return [];
    const root = path ?? TRANSCRIPT_READERS[id].defaultLocation({ env, homeDir, agentSessionsDir });
    const label = `sessions/${id === 'svc' ? agent.id : id}`;
    const takesAll = id === 'svc' || path !== undefined;
    return [{ reader: id, root, label, projectFolders: takesAll ? undefined : projects }];
  });
  return { places, growth: agent.memorySearch.sync.sessions };
}

/** The sources with the archive of conversations, which is only loaded if it is searched. */
export async function withArchive<S extends TranscriptSources | undefined>(
  transcripts: S,
  agent: ResolvedAgent,
  { state }: Pick<EngineContext, 'state'>,
): Promise<S | TranscriptSources> {
  const { retention, imports } = agent.memorySearch.sync.sessions;
  if (transcripts === undefined || (retention === 'follow' && imports.length === 0)) {
    return transcripts;
  }
  const { SessionArchive } = await import('./archive/session-archive.js');
  return { ...transcripts, archive: new SessionArchive(archiveSettings(agent, state)) };
}

/** Where the conversations that an agent keeps are, and which. */
export function archiveSettings(
  { id, memorySearch: { sync } }: ResolvedAgent,
  { stateDir }: EngineContext['state'],
): ArchiveSettings {
  return { ...sync.sessions, file: join(stateDir, 'archive', `${id}.sqlite`) };
}

/** Where libraries are that svc installs on request. */
export function librariesDir(stateDir: string): string {
  return join(stateDir, 'libraries');
}

/** Which media belong to a memory; undefined for none. All kinds by default. */
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

/** Everything that one agent's index mirrors. */
export interface MemorySources {
  readonly memory: MemoryFilesOptions;
  /** Undefined when sessions are not indexed. */
  readonly transcripts?: TranscriptSources | undefined;
}

/**
 * Lists every document of every source without reading any.
 *
 * @throws SvcError WORKSPACE_MISSING, WORKSPACE_UNREADABLE, HANDLES_EXHAUSTED
 */
export function scanSources({ memory, transcripts }: MemorySources): Scan {
  const notes = scanMemoryFiles(memory);
  if (transcripts === undefined) return notes;
  const conversations = scanTranscripts(transcripts);
  return {
    files: [...notes.files, ...conversations.files],
    live: conversations.live,
    skipped: [...notes.skipped, ...conversations.skipped],
    temporaries: notes.temporaries,
    decisions: notes.decisions,
  };
}
