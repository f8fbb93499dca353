import type { Diagnosis } from '../embeddings/diagnosis/index.js';
import type { BackendStatus, GetResponse } from './backends/memory-backend.js';
import type { EmbeddingStatus } from './embedding/embedding-status.js';
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
export function statusOutput(
  memory: OpenedMemory,
  status: BackendStatus,
  embedding: EmbeddingStatus,
  deep: Diagnosis | undefined,
): StatusOutput {
  const { index, vectors: _, ...rest } = status;
  const { mode, primary, fallback } = embedding;
  return {
    agent: memory.agentId,
    ...rest,
    configuredBackend: memory.agent.backend,
    provider: primary?.provider ?? null,
    model: primary?.model ?? null,
    fallback: fallback?.provider ?? null,
    mode,
    vectorStore: vectorStoreOutput(embedding),
    citations: memory.agent.citations,
    index:
      index.state === 'ready'
        ? { ...index, statistics: statisticsOutput(index.statistics) }
        : index,
    ...(deep === undefined ? {} : { deep }),
  };
}

function vectorStoreOutput({
  coverage,
  primary,
  fallbackDone,
}: EmbeddingStatus): StatusOutput['vectorStore'] {
  const { state, dimensions, done, all, refused, cached, differences } = coverage;
  // Where nobody embeds, nothing waits for it.
  const pending = primary === undefined ? 0 : all - done - refused;
  return {
    state,
    dimensions,
    embedded: done,
    pending,
    refused,
    cached,
    ofFallback: fallbackDone,
    differences,
  };
}

function statisticsOutput({
  syncedMs,
  ...statistics
}: Extract<BackendStatus['index'], { state: 'ready' }>['statistics']) {
  const lastSync = syncedMs === undefined ? null : new Date(syncedMs).toISOString();
  return { ...statistics, lastSync };
}
