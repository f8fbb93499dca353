import type { EmbeddingEvent } from '../../embeddings/index.js';
import type { Warning } from '../../errors/index.js';
import type { SkippedFile } from '../types.js';
import type { LockHolder } from './index-lock.js';

/** Why a sync builds the whole index anew. */
export type RebuildReason = 'damaged' | 'first' | 'forced' | 'settings';

/** What a sync tells while it runs; screens, plain lines and `--json` read the same events. */
export type SyncEvent =
  | { readonly type: 'lock.waiting'; readonly holder: LockHolder | undefined }
  | {
      readonly type: 'scan.finished';
      readonly files: number;
      readonly bytes: number;
      /** Files to read: new ones and those whose fingerprint changed. */
      readonly filesToIndex: number;
      readonly bytesToIndex: number;
    }
  | { readonly type: 'rebuild.started'; readonly reason: RebuildReason; readonly detail: string }
  | {
      readonly type: 'document.indexed';
      readonly path: string;
      readonly bytes: number;
      readonly chunks: number;
    }
  /** Read again, and found to say what it said before. */
  | { readonly type: 'document.unchanged'; readonly path: string; readonly bytes: number }
  | { readonly type: 'document.removed'; readonly path: string }
  | ({ readonly type: 'document.skipped' } & SkippedFile)
  /** Everything up to here is on disk. */
  | { readonly type: 'batch.committed'; readonly documents: number; readonly chunks: number }
  | { readonly type: 'publish.started' }
  /** From here on vectors are made; `passages` have none yet, `known` of those just written have. */
  | {
      readonly type: 'embed.started';
      readonly provider: string;
      readonly model: string;
      readonly passages: number;
      readonly known: number;
    }
  /** What the provider's adapter tells of its requests. */
  | { readonly type: 'embed.provider'; readonly event: EmbeddingEvent }
  /** Passages done with: their vectors are on disk, or the provider refuses them. */
  | { readonly type: 'embed.stored'; readonly passages: number }
  | {
      readonly type: 'embed.fallback';
      readonly from: string;
      readonly to: string;
      readonly why: string;
    }
  /** The external search program is run with this command. */
  | { readonly type: 'ext.running'; readonly command: string }
  | { readonly type: 'sync.finished'; readonly summary: SyncSummary };

/** Why a provider embedded nothing, or not all. */
export interface EmbeddingFailure {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

/** What a sync did for vectors. */
export interface EmbeddingSummary {
  readonly provider: string;
  /** Null when the provider could not even be opened. */
  readonly model: string | null;
  /** Vectors made by this sync; what was known already is not among them. */
  readonly embedded: number;
  /** Chunks written by this sync whose text had a vector already. */
  readonly known: number;
  /** Passages that the provider does not take, and its words on the first of them. */
  readonly refused: number;
  readonly refusal?: string;
  /** Passages that have no vector yet. */
  readonly pending: number;
  /** As the provider counts them, else estimated. */
  readonly tokens: number;
  readonly requests: number;
  readonly failure?: EmbeddingFailure;
  /** Images and recordings that are found by their names alone, since the model takes none. */
  readonly mediaLeft?: { readonly files: number; readonly why: string; readonly mend: string };
  /** Set when this is the fallback. */
  readonly insteadOf?: { readonly provider: string; readonly failure: EmbeddingFailure };
}

/** What a sync did, in documents. */
export interface SyncSummary {
  /** `stopped`: the person interrupted it; what is counted here is done and kept. */
  readonly outcome: 'stopped' | 'unchanged' | 'updated';
  /** Set when the index was built anew. */
  readonly rebuild?: { readonly reason: RebuildReason; readonly detail: string };
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  readonly renamed: number;
  readonly unchanged: number;
  readonly skipped: readonly SkippedFile[];
  /** Chunks written by this sync. */
  readonly chunks: number;
  /** Bytes of the files read by this sync. */
  readonly bytes: number;
  readonly durationMs: number;
  /** Absent where no provider is configured, and when the sync was stopped before. */
  readonly embedding?: EmbeddingSummary;
  /** What went wrong on the way although the sync ended well; absent for nothing. */
  readonly warnings?: readonly Warning[];
}
