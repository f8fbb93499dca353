import type { Clock } from '../../context.js';
import type { MemoryBackend } from '../backends/memory-backend.js';
import type { MemorySources } from '../sources/scan-sources.js';
import type { SyncEvent, SyncSummary } from '../sync/events.js';
import type { OpenWatch } from './open-watch.js';

/** One memory to keep fresh; see `watchTargetOf` for that of an opened memory. */
export interface WatchTarget {
  /** What people call it: the agent's id, or the folder. */
  readonly name: string;
  readonly sources: MemorySources;
  readonly backend: Pick<MemoryBackend, 'sync'>;
  /** Whether to follow changes (`sync.watch`); without it only the interval syncs. */
  readonly watch: boolean;
  /** `sync.watchDebounceMs`: quiet after the last change before it is taken in; milliseconds. */
  readonly debounceMs: number;
  /** `sync.intervalMinutes` in milliseconds; 0 is never. */
  readonly intervalMs: number;
  /** Where other processes look for a record of this watcher; none is kept when left out. */
  readonly indexFile?: string;
  /** False where somebody else sees to that; true when left out. */
  readonly syncsAtStart?: boolean;
}

/** How changes come to be known. */
export type WatchMode =
  /** Not started, or closed. */
  | 'off'
  /** The system tells of them. */
  | 'watching'
  /** The system is out of watchers: the files are looked at again and again. */
  | 'polling'
  /** `sync.watch` is false: only the interval syncs. */
  | 'interval';

/** Why a sync was begun. */
export type SyncCause = 'asked' | 'changed' | 'interval' | 'retry' | 'start';

/** A failure as it is told; it does not end the watcher. */
export interface WatchFailure {
  /** An error code of the registry, or the system's own (`EIO`). */
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

/** What a watcher tells. */
export type WatchEvent =
  /** Changes are followed, first or again; `folders` is how many the system watches for us. */
  | { readonly type: 'watching'; readonly folders: number }
  /** No watches are to be had: the files are looked at every `everyMs`. Told once, not each time. */
  | { readonly type: 'polling'; readonly why: string; readonly everyMs: number }
  /** The first change since the last sync began; the sync follows when it is quiet. */
  | { readonly type: 'changed'; readonly path: string }
  | { readonly type: 'syncing'; readonly cause: SyncCause }
  /** What the sync under way tells. */
  | { readonly type: 'progress'; readonly event: SyncEvent }
  /** Done; the words are indexed. Vectors may be missing: then `failed` follows. */
  | { readonly type: 'synced'; readonly cause: SyncCause; readonly summary: SyncSummary }
  /** Tried again by itself after `retryInMs`, or sooner when a file changes. */
  | {
      readonly type: 'failed';
      readonly failure: WatchFailure;
      /** 1 for the first in a row. */
      readonly attempt: number;
      readonly retryInMs: number;
    };

/** What can be asked of a watcher at any time. */
export interface WatcherState {
  readonly mode: WatchMode;
  /** Set while polling. */
  readonly why: string | undefined;
  readonly folders: number;
  readonly isSyncing: boolean;
  /** When the last sync succeeded, in milliseconds since the epoch. */
  readonly syncedMs: number | undefined;
  readonly last: SyncSummary | undefined;
  /** The failure that waits to be tried again. */
  readonly failure: WatchFailure | undefined;
  /** Syncs done since the start, failed ones left out. */
  readonly syncs: number;
}

/**
 * Keeps one index fresh. Life cycle: made, started once, closed once. No failure of a sync ends it;
 * only what is a bug does, and `ended` rejects with that.
 */
export interface MemoryWatcher {
  readonly name: string;
  readonly state: WatcherState;
  /** Rejects on a bug (the watcher is closed then), resolves when it was closed. */
  readonly ended: Promise<void>;
  /** Sets up the watches and tries the first sync; resolves when that has succeeded or failed. */
  start(): Promise<void>;
  /** Syncs now, or joins the sync under way; resolves when it has succeeded or failed. */
  syncNow(): Promise<void>;
  /** Lets go of all watches and timers; a sync under way is stopped between two transactions. */
  close(): Promise<void>;
}

/** The waits of a watcher that no configuration sets; milliseconds. */
export interface WatchTiming {
  /** A change is taken in after this even when it never gets quiet. */
  readonly longestWaitMs: number;
  /** Between two looks at the files while polling; longer where one look takes long. */
  readonly pollMs: number;
  /** While polling, how often watches are tried again. */
  readonly rewatchMs: number;
  /** Before the first retry of a failed sync; doubled each time. */
  readonly firstRetryMs: number;
  readonly longestRetryMs: number;
  /** Before vectors that a batch job still owes are asked for again. */
  readonly pendingMs: number;
  /** How long a sync waits for another process that writes the index. */
  readonly lockWaitMs: number;
}

/** How a watcher is run. */
export interface WatchOptions {
  readonly clock: Clock;
  readonly onEvent: (event: WatchEvent) => void;
  readonly timing?: Partial<WatchTiming> | undefined;
  /** How the system's watches are opened; the system's own unless a test starves it. */
  readonly openWatch?: OpenWatch | undefined;
}
