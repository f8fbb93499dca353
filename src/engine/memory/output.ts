import type { Diagnosis } from '../embeddings/diagnosis/index.js';
import type { ExtStatus } from './backends/ext/ext-status.js';
import type { BackendStatus, GetResponse } from './backends/memory-backend.js';
import type { EmbeddingStatus } from './embedding/embedding-status.js';
import type { OpenedMemory } from './open-memory.js';
import type {
  GetOutput,
  IndexedAgent,
  SearchOutput,
  StatusOutput,
  WatchOutput,
} from './output-schemas.js';
import { withSourceFooter } from './search/citation.js';
import type { SearchResponse } from './search/types.js';
import type { SyncSummary } from './sync/events.js';
import type { WatchEvent } from './watch/memory-watcher.js';
import type { WatchRecord } from './watch/watch-record.js';

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
  // Warnings stand beside the result, with those of everything else.
  const { warnings: _, ...told } = summary;
  return { agent: memory.agentId, workspace: memory.agent.workspaceDir, ...told };
}

/** A line of `svc memory index --watch --json`; undefined for events that have none. */
export function watchOutput(
  memory: OpenedMemory,
  event: WatchEvent,
  atMs: number,
): WatchOutput | undefined {
  const who = { agent: memory.agentId, workspace: memory.agent.workspaceDir };
  const line = { at: new Date(atMs).toISOString(), ...who };
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
  deep: Diagnosis | undefined,
): StatusOutput {
  const { index, vectors: _, watcher, media, ext, ...rest } = status;
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
    media: media === undefined ? null : mediaOutput(media, embedding),
    citations: memory.agent.citations,
    watcher: watcher === undefined ? null : watcherOutput(watcher),
    index:
      index.state === 'ready'
        ? { ...index, statistics: statisticsOutput(index.statistics) }
        : index,
    ext: ext === undefined ? null : extOutput(ext),
    ...(deep === undefined ? {} : { deep }),
  };
}

function extOutput({ updated, why, ...ext }: ExtStatus): StatusOutput['ext'] {
  return {
    ...ext,
    why: why ?? null,
    updated:
      updated === null
        ? null
        : {
            at: new Date(updated.atMs).toISOString(),
            tookMs: updated.tookMs,
            files: updated.files,
            stale: updated.stale,
          },
  };
}

function watcherOutput({ pid, sinceMs, mode, why }: WatchRecord): StatusOutput['watcher'] {
  return { pid, since: new Date(sinceMs).toISOString(), mode, why: why ?? null };
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

function mediaOutput(
  { modalities, maxFileBytes }: NonNullable<BackendStatus['media']>,
  { media }: EmbeddingStatus,
): StatusOutput['media'] {
  return {
    modalities,
    maxFileBytes,
    unavailable: media?.obstacle ?? null,
    refused: (media?.refused ?? []).map(({ identity: __, ...refused }) => refused),
  };
}

function statisticsOutput({
  syncedMs,
  ...statistics
}: Extract<BackendStatus['index'], { state: 'ready' }>['statistics']) {
  const lastSync = syncedMs === undefined ? null : new Date(syncedMs).toISOString();
  return { ...statistics, lastSync };
}
