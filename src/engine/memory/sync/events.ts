import type { Warning } from '../../errors/index.js';
import type { EmbedEvent } from '../embedding/embed-missing.js';
import type { IndexedAgent } from '../output-schemas.js';
import type { SkippedFile } from '../types.js';

/** Progress of a sync; screens, plain lines and `--json` use the same events. */
export type SyncEvent =
  | ({ readonly type: 'lock.waiting' } & Waiting)
  | {
      readonly type: 'scan.finished';
      readonly files: number;
      /** Without conversations of databases, whose size is unknown. */
      readonly bytes: number;
      /** New files, and those whose fingerprint changed. */
      readonly filesToIndex: number;
      /** See `workOf`. */
      readonly workToIndex: number;
    }
  /** Before the scan is finished; the fraction is that of one export, or of all conversations of agents. */
  | {
      readonly type: 'archive.updated';
      readonly conversations: number;
      readonly fraction: number;
    }
  | ({ readonly type: 'rebuild.started' } & Rebuild)
  | {
      readonly type: 'document.indexed';
      readonly path: string;
      readonly work: number;
      readonly chunks: number;
    }
  /** Read again without a change in content. */
  | { readonly type: 'document.unchanged'; readonly path: string; readonly work: number }
  /** With it, `removed` of the documents `toRemove` are removed. */
  | {
      readonly type: 'document.removed';
      readonly path: string;
      readonly removed: number;
      readonly toRemove: number;
    }
  /** Without `work`, it was not among the files to index. */
  | ({ readonly type: 'document.skipped'; readonly work?: number } & SkippedFile)
  /** Everything so far is on disk. */
  | { readonly type: 'batch.committed'; readonly documents: number }
  | { readonly type: 'publish.started' }
  | EmbedEvent
  /** The external search program is run with this command. */
  | { readonly type: 'ext.running'; readonly command: string }
  | { readonly type: 'sync.finished'; readonly summary: SyncSummary };

/** A process that has a lock of an index. `vectors`: it embeds; it writes the index if left out. */
interface Waiting {
  readonly part?: 'vectors' | undefined;
  readonly holder: LockHolder | undefined;
}

/** The result of a sync; see docs/json.md. */
export interface SyncSummary extends Omit<IndexedAgent, 'agent' | 'workspace'> {
  /** Problems that did not stop the sync; absent for none. */
  readonly warnings?: readonly Warning[];
}

/** A rebuild and its reason; for people: the difference, or what is wrong with the old index. */
export type Rebuild = NonNullable<SyncSummary['rebuild']>;

export type RebuildReason = Rebuild['reason'];

/** What accompanies any work on a memory. */
export interface WorkOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onEvent?: ((event: SyncEvent) => void) | undefined;
  /** Called with what the user should know of an answer that has no warnings of its own. */
  readonly onWarning?: ((warning: Warning) => void) | undefined;
  /**
   * False answers from an existing index as it is, without checking all files for changes: for a preview, which does not
   * count as opened.
   */
  readonly checksFiles?: boolean | undefined;
}

/** The process that is writing an index. */
export interface LockHolder {
  readonly pid: number;
  readonly sinceMs: number;
}

/** `svc memory index` waits for another writer, and then usually has nothing left to do. */
export const INDEX_LOCK_WAIT_MS = 10 * 60_000;

/** How a sync is asked for. */
export interface SyncRequest extends WorkOptions {
  /** Rebuild from scratch. */
  readonly force?: boolean;
  /** Rebuild because the index turned out to be damaged; for people: what is wrong with it. */
  readonly damage?: string;
  /** With `force`, and without a cache: also re-embed every passage. Existing vectors are used until that is done. */
  readonly reembeds?: boolean;
  /** How long to wait for another writer, in milliseconds; ten minutes by default. */
  readonly lockWaitMs?: number;
  /** The same for another process that embeds; as long by default. */
  readonly embedWaitMs?: number;
  /** Skip transcripts that have grown only a little (`sync.sessions`). */
  readonly defersSmallGrowth?: boolean | undefined;
  /** Requested by a watcher: work with its own interval waits for that interval. */
  readonly isUpkeep?: boolean;
  /** False skips embedding. */
  readonly embeds?: boolean;
  /** False leaves running batch jobs to a later sync. */
  readonly waitsForJobs?: boolean;
}
