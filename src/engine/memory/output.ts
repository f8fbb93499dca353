import type { BackendStatus, GetResponse } from './backends/memory-backend.js';
import type { OpenedMemory } from './open-memory.js';
import type { GetOutput, IndexedAgent, SearchOutput, StatusOutput } from './output-schemas.js';
import { withSourceFooter } from './search/citation.js';
import type { SearchResponse } from './search/types.js';
import type { SyncSummary } from './sync/events.js';

/*
 * The JSON shapes of docs/json.md, made from what the engine answers. One place, so that commands
 * and agents' tools give the same.
 */

/** `svc memory search --json`. */
export function searchOutput(memory: OpenedMemory, response: SearchResponse): SearchOutput {
  const { query, mode, backend, provider, model, matches, belowMinScore, searchMs } = response;
  const results = response.results.map(({ highlights: _, snippet, ...result }) => {
    return { ...result, snippet: withSourceFooter(snippet, result.citation) };
  });
  const workspace = memory.agent.workspaceDir;
  const asked = { query, agent: memory.agentId, workspace };
  return { ...asked, backend, mode, provider, model, results, matches, belowMinScore, searchMs };
}

/** `svc memory get --json`. */
export function getOutput({ absolutePath: _, warnings: __, ...response }: GetResponse): GetOutput {
  return response;
}

/** One agent's part of `svc memory index --json`. */
export function indexOutput(memory: OpenedMemory, summary: SyncSummary): IndexedAgent {
  return { agent: memory.agentId, workspace: memory.agent.workspaceDir, ...summary };
}

/** One agent's part of `svc memory status --json`. */
export function statusOutput(memory: OpenedMemory, status: BackendStatus): StatusOutput {
  const { index, ...rest } = status;
  return {
    agent: memory.agentId,
    ...rest,
    configuredBackend: memory.agent.backend,
    provider: null,
    model: null,
    mode: 'lexical',
    vectorStore: { state: 'empty' },
    citations: memory.agent.citations,
    index:
      index.state === 'ready'
        ? { ...index, statistics: statisticsOutput(index.statistics) }
        : index,
  };
}

function statisticsOutput({
  syncedMs,
  ...statistics
}: Extract<BackendStatus['index'], { state: 'ready' }>['statistics']) {
  const lastSync = syncedMs === undefined ? null : new Date(syncedMs).toISOString();
  return { ...statistics, lastSync };
}
