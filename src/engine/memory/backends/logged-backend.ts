import type { LoadedConfig, ResolvedAgent } from '../../config/index.js';
import { letOthersRun } from '../../support/async.js';
import type { EngineContext } from '../../support/context.js';
import type { GetResponse } from '../get/index.js';
import type { SharedPlace } from '../home/index.js';
import type { SearchResponse } from '../search/index.js';
import type { SyncEvent, WorkOptions } from '../sync/index.js';
import type { MemoryBackend } from './memory-backend.js';

/** The engine's context with receivers for searches and reads of memory. */
export interface MemoryContext extends EngineContext {
  /** Called with each search of an agent's memory, where searches are logged; see dreaming/recall-log. */
  readonly onRecall?: OnRecall | undefined;
  /** Called with each search and each opened file if `memory.searchLog` is on; see lookups/search-log. */
  readonly onLookup?: OnLookup | undefined;
}

/** Called after the answer was returned. Never fails. */
type OnLookup = (lookup: Lookup) => Promise<void>;

/** A search of an agent's memory, or lines of it that were read. */
export type Lookup = { readonly agentId: string } & (
  | { readonly type: 'search'; readonly response: SearchResponse }
  | { readonly type: 'get'; readonly response: GetResponse }
);

/** Called after the answer was returned. Never fails. */
export type OnRecall = (recall: {
  /** Absolute path of the agent's workspace. */
  readonly workspaceDir: string;
  readonly response: SearchResponse;
  readonly shared?: SharedPlace | undefined;
}) => Promise<void>;

interface LogOptions {
  readonly agent: ResolvedAgent;
  readonly shared: SharedPlace | undefined;
  readonly context: MemoryContext;
  readonly loaded: LoadedConfig;
}

/**
 * Logs after each answer, one after the other; closing the backend waits for pending logs. Searches while typing and
 * previews are not logged. Recalls are only logged if dreaming uses them, searches only with `memory.searchLog`, and
 * counted with `logging.activity`.
 */
export function loggedBackend(
  backend: MemoryBackend,
  { agent: { id: agentId, workspaceDir }, shared, context, loaded: { resolved } }: LogOptions,
): MemoryBackend {
  const { dreaming } = resolved.plugins.entries['memory-core'].config;
  const onRecall = dreaming.enabled ? context.onRecall : undefined;
  const onLookup = resolved.memory.searchLog ? context.onLookup : undefined;
  const onActivity = resolved.logging.activity ? context.onActivity : undefined;
  if (onRecall === undefined && onLookup === undefined && onActivity === undefined) return backend;
  let logging: Promise<void> = Promise.resolve();
  const log = (write: () => Promise<void>): void => {
    logging = Promise.all([logging, letOthersRun()]).then(write);
  };
  const onIndexed = (chunks: number): void => onActivity?.({ chunks });
  return {
    ...backend,
    search: async (request, options) => {
      const search = (work: WorkOptions) => backend.search(request, work);
      const response = await countingChunks(options, onIndexed, search);
      if (request.lexicalOnly === true) return response;
      log(async () => {
        onActivity?.({ searches: 1 });
        await onLookup?.({ agentId, type: 'search', response });
        if (response.results.length > 0) await onRecall?.({ workspaceDir, response, shared });
      });
      return response;
    },
    get: async (request, options) => {
      const response = await backend.get(request, options);
      if (options?.checksFiles !== false) {
        log(async () => onLookup?.({ agentId, type: 'get', response }));
      }
      return response;
    },
    sync: (options) => countingChunks(options, onIndexed, (work) => backend.sync(work)),
    close: async () => {
      await logging;
      await backend.close();
    },
  };
}

/** Counts the chunks that work indexes, even if it fails or is stopped. */
async function countingChunks<Options extends WorkOptions, Result>(
  options: Options | undefined,
  onIndexed: (chunks: number) => void,
  work: (options: Options | WorkOptions) => Promise<Result>,
): Promise<Result> {
  let chunks = 0;
  const onEvent = (event: SyncEvent): void => {
    if (event.type === 'document.indexed') chunks += event.chunks;
    options?.onEvent?.(event);
  };
  try {
    return await work({ ...options, onEvent });
  } finally {
    if (chunks > 0) onIndexed(chunks);
  }
}
