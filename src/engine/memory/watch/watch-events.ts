import { isSystemError, messageOf, SvcError, systemErrorCode } from '../../errors/index.js';
import type { Clock } from '../../support/context.js';
import type { MemoryBackend } from '../backends/memory-backend.js';
import type { EmbeddingFailure } from '../embedding/embed-missing.js';
import type { OtherHosts } from '../home/index.js';
import type { OpenedMemory } from '../open-memory.js';
import type { MemorySources } from '../sources/index.js';
import type { SyncEvent, SyncSummary } from '../sync/index.js';
import type { OpenWatch } from './folder-watches.js';

/** A memory to keep fresh; see `watchTargetOf`. */
export interface WatchTarget {
  readonly sources: MemorySources;
  readonly backend: Pick<MemoryBackend, 'sync'>;
  /** The server of a shared memory. */
  readonly server?: Pick<OtherHosts, 'onReconnected'> | undefined;
  /** Whether to follow changes (`sync.watch`); otherwise only the interval syncs. */
  readonly watch: boolean;
  /** `sync.watchDebounceMs`: how long to wait after the last change; milliseconds. */
  readonly debounceMs: number;
  /** `sync.intervalMinutes` in milliseconds; 0 for never. */
  readonly intervalMs: number;
  /** Next to which this watcher is recorded, for other processes. */
  readonly indexFile: string;
  /** True by default. */
  readonly syncsAtStart?: boolean;
}

/** What triggered a sync. */
export type SyncCause = 'changed' | 'interval' | 'retry' | 'start';

/** A failure that does not end the watcher. */
export type WatchFailure = EmbeddingFailure;

export type WatchEvent =
  /** File watching is active, initially or again; `folders` is the number of watches. */
  | { readonly type: 'watching'; readonly folders: number }
  /** File watching is unavailable; polling every `everyMs` instead. Sent once. */
  | { readonly type: 'polling'; readonly why: string; readonly everyMs: number }
  /** The first change since the last sync started; the sync follows after a quiet period. */
  | { readonly type: 'changed'; readonly path: string }
  | { readonly type: 'syncing'; readonly cause: SyncCause }
  | { readonly type: 'progress'; readonly event: SyncEvent }
  /** Keyword search is up to date. If vectors are missing, `failed` follows. */
  | { readonly type: 'synced'; readonly cause: SyncCause; readonly summary: SyncSummary }
  /** Retried after `retryInMs`, or sooner when a file changes. */
  | {
      readonly type: 'failed';
      readonly failure: WatchFailure;
      /** 1 for the first in a row. */
      readonly attempt: number;
      readonly retryInMs: number;
    };

/** Delays that are not configurable; milliseconds. */
export const WATCH_TIMING = {
  /** Maximum delay of a sync while changes keep coming. */
  longestWaitMs: 15_000,
  /** Between scans while polling; longer if scans are slow. */
  pollMs: 5000,
  /** While polling, how often to retry file watching. */
  rewatchMs: 60_000,
  /**
   * When to check again after watches were opened; 0 for never. On macOS, they start in a thread, and what changes until then
   * is not reported.
   */
  settleMs: process.platform === 'darwin' ? 1000 : 0,
  /** Before the first retry of a failed sync; doubled each time. */
  firstRetryMs: 2000,
  longestRetryMs: 5 * 60_000,
  /** Before asking again for vectors of a pending batch job. */
  pendingMs: 5 * 60_000,
  /** How long a sync waits for another process that writes the index. */
  lockWaitMs: 10_000,
};

export type WatchTiming = Readonly<typeof WATCH_TIMING>;

export interface WatchOptions {
  readonly clock: Clock;
  readonly onEvent: (event: WatchEvent) => void;
  readonly timing?: Partial<WatchTiming> | undefined;
  /** Defaults to the system's watches; tests simulate shortages. */
  readonly openWatch?: OpenWatch | undefined;
}

/** The failure of a sync, if it may be temporary: expected errors, and system errors. Undefined for bugs. */
export function watchFailureOf(error: unknown): WatchFailure | undefined {
  if (error instanceof SvcError) {
    if (error.code === 'BUG') return undefined;
    const { code, message, hint } = error;
    return { code, message, hint };
  }
  const code = systemErrorCode(error);
  return code === undefined || !isSystemError(error)
    ? undefined
    : { code, message: messageOf(error) };
}

/** What to watch of an opened memory. @param watch whether to follow changes; defaults to `sync.watch` */
export function watchTargetOf(
  { agent, backend, home, sources, ext }: OpenedMemory,
  watch = agent.memorySearch.sync.watch,
): WatchTarget {
  const { store, sync } = agent.memorySearch;
  return {
    sources,
    backend,
    server: home.others,
    watch,
    debounceMs: ext?.settings.update.debounceMs ?? sync.watchDebounceMs,
    intervalMs: ext?.settings.update.intervalMs ?? sync.intervalMinutes * 60_000,
    indexFile: store.path,
  };
}
