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
  | { readonly type: 'sync.finished'; readonly summary: SyncSummary };

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
}
