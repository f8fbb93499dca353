import type { ResolvedAgent } from '../../config/index.js';
import { type MediaSelection, MODALITIES } from './media-names.js';
import type { WorkspaceLayout } from './memory-files.js';
import type { MemorySources } from './scan-sources.js';

/** What an agent's index mirrors, as its settings have it. */
export function memorySourcesOf(agent: ResolvedAgent, layout: WorkspaceLayout): MemorySources {
  const { extraPaths, multimodal } = agent.memorySearch;
  const media = mediaSelection(multimodal);
  return { memory: { workspaceDir: agent.workspaceDir, layout, extraPaths, media } };
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
