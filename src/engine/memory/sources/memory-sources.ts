import type { ResolvedAgent } from '../../config/index.js';
import type { WorkspaceLayout } from './memory-files.js';
import type { MemorySources } from './scan-sources.js';

/** What an agent's index mirrors, as its settings have it. */
export function memorySourcesOf(agent: ResolvedAgent, layout: WorkspaceLayout): MemorySources {
  const { extraPaths } = agent.memorySearch;
  return { memory: { workspaceDir: agent.workspaceDir, layout, extraPaths } };
}
