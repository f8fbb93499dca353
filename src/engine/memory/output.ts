import { iso } from '../support/time.js';
import type { BackendStatus, SharedState } from './backends/memory-backend.js';
import type { StatusOutput } from './backends/output-schemas.js';
import type { EmbeddingStatus } from './embedding-status.js';
import type { GetResponse } from './get/index.js';
import type { GetOutput } from './get/output-schemas.js';
import type { LinkMap } from './inspect/link-map.js';
import type { OpenedMemory } from './open-memory.js';
import type { IndexedAgent, WatchOutput } from './output-schemas.js';
import { type SearchResponse, withSourceFooter } from './search/index.js';
import type { SearchOutput } from './search/output-schemas.js';
import type { SyncSummary } from './sync/index.js';
import type { DocumentKey } from './types.js';
import type { WatchEvent } from './watch/watch-events.js';

/*
 * The JSON shapes of docs/json.md, made from what the engine answers. One place, so that commands
 * and agents' tools give the same.
 */

/** @param related adds the notes that results are linked with */
export function searchOutput(
  memory: OpenedMemory,
  response: SearchResponse,
  related?: LinkMap,
): SearchOutput {
  const { query, warnings: _, ...answer } = response;
  const results = response.results.map(({ highlights: _, bestLine: __, snippet, ...result }) => {
    const linked = related === undefined ? {} : { related: relatedTo(result, related) };
    return { ...result, snippet: withSourceFooter(snippet, result.citation), ...linked };
  });
  return {
    query,
    agent: memory.agentId,
    workspace: memory.agent.workspaceDir,
    ...answer,
    results,
  };
}

/** The links of other hosts' notes are not known. */
function relatedTo({ path, origin }: DocumentKey, related: LinkMap) {
  return origin === undefined ? related.neighbours(path) : [];
}

export function getOutput({ absolutePath: _, ...response }: GetResponse): GetOutput {
  return response;
}

/** One agent's part of `svc memory index --json`. */
export function indexOutput(memory: OpenedMemory, summary: SyncSummary): IndexedAgent {
  // Warnings are printed separately, with all others.
  const { warnings: _, ...shown } = summary;
  return { agent: memory.agentId, workspace: memory.agent.workspaceDir, ...shown };
}

/** A line of `svc memory index --watch --json`; undefined for events without one. */
export function watchOutput(
  memory: OpenedMemory,
  event: WatchEvent,
  atMs: number,
): WatchOutput | undefined {
  const who = { agent: memory.agentId, workspace: memory.agent.workspaceDir };
  const line = { at: iso(atMs), ...who };
  switch (event.type) {
    case 'watching':
      return { type: 'watching', ...line };
    case 'polling':
      return { type: 'polling', ...line, why: event.why, everyMs: event.everyMs };
    case 'synced':
      return { type: 'synced', ...line, cause: event.cause, ...indexOutput(memory, event.summary) };
    case 'failed': {
      const { failure, attempt, retryInMs } = event;
      return { type: 'failed', ...line, error: failure, attempt, retryInMs };
    }
    default:
      return undefined;
  }
}

/** One agent's part of `svc memory status --json`. */
export function statusOutput(
  memory: OpenedMemory,
  status: BackendStatus,
  embedding: EmbeddingStatus,
  { deep, why }: Partial<Pick<StatusOutput, 'deep' | 'why'>> = {},
): StatusOutput {
  const { shared, vectors: _, refusedMedia: __, ext, ...rest } = status;
  const { mode, primary, fallback } = embedding;
  return {
    agent: memory.agentId,
    ...rest,
    indexFile: shared === undefined ? rest.indexFile : null,
    shared: shared === undefined ? null : sharedOutput(shared),
    configuredBackend: memory.agent.backend,
    provider: primary?.provider ?? null,
    model: primary?.model ?? null,
    fallback: fallback?.provider ?? null,
    mode,
    vectorStore: vectorStoreOutput(embedding),
    media: embedding.media,
    citations: memory.agent.citations,
    ext: ext ?? null,
    ...(deep === undefined ? {} : { deep }),
    ...(why === undefined ? {} : { why }),
  };
}

function sharedOutput({ server, origin, origins }: SharedState): StatusOutput['shared'] {
  const listed = origins?.map(({ name, documents, chunks, syncedMs }) => {
    const lastSync = syncedMs === null ? null : iso(syncedMs);
    return { origin: name, documents, chunks, lastSync };
  });
  return { server, origin, origins: listed ?? null };
}

function vectorStoreOutput({
  coverage,
  primary,
  fallbackDone,
  batchJobs,
}: EmbeddingStatus): StatusOutput['vectorStore'] {
  const { state, dimensions, done, all, refused, cached, differences } = coverage;
  // Without a provider, nothing is pending.
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
    batchJobs,
  };
}
