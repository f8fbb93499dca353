import type { EmbeddingEvent } from '../../embeddings/index.js';
import type { Warning } from '../../errors/index.js';
import type { IndexedAgent } from '../output-schemas.js';
import type { SkippedFile } from '../types.js';
import type { LockHolder } from './index-lock.js';

/** Progress of a sync; screens, plain lines and `--json` use the same events. */
export type SyncEvent =
  | { readonly type: 'lock.waiting'; readonly holder: LockHolder | undefined }
  | {
      readonly type: 'scan.finished';
      readonly files: number;
      readonly bytes: number;
      /** New files, and those whose fingerprint changed. */
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
  /** Read again without a change in content. */
  | { readonly type: 'document.unchanged'; readonly path: string; readonly bytes: number }
  | { readonly type: 'document.removed'; readonly path: string }
  | ({ readonly type: 'document.skipped' } & SkippedFile)
  /** Everything so far is on disk. */
  | { readonly type: 'batch.committed'; readonly documents: number; readonly chunks: number }
  | { readonly type: 'publish.started' }
  /** Embedding starts; `passages` have no vector yet, `known` of those just written have one. */
  | {
      readonly type: 'embed.started';
      readonly provider: string;
      readonly model: string;
      readonly passages: number;
      readonly known: number;
    }
  /** The provider's requests. */
  | { readonly type: 'embed.provider'; readonly event: EmbeddingEvent }
  /** Passages done: stored, or refused by the provider. */
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

/** The result of a sync; see docs/json.md. */
export interface SyncSummary extends Omit<IndexedAgent, 'agent' | 'workspace'> {
  /** Problems that did not stop the sync; absent for none. */
  readonly warnings?: readonly Warning[];
}

export type EmbeddingSummary = NonNullable<SyncSummary['embedding']>;
/** Why passages were not embedded. */
export type EmbeddingFailure = NonNullable<EmbeddingSummary['failure']>;
export type RebuildReason = NonNullable<SyncSummary['rebuild']>['reason'];
