import type { EmbeddingEvent } from '../../embeddings/index.js';
import type { Warning } from '../../errors/index.js';
import type { IndexedDocument } from '../index/index.js';
import type { IndexedAgent } from '../output-schemas.js';
import type { SkippedFile } from '../types.js';
import type { LockHolder } from './index-lock.js';
import type { SyncPlan } from './plan-changes.js';

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

/** What was done; `stopped` when interrupted between two transactions. */
export interface ApplyResult
  extends Omit<SyncSummary, 'durationMs' | 'embedding' | 'outcome' | 'rebuild' | 'warnings'> {
  readonly stopped: boolean;
}

/** Counts what a sync does. A removed and an added document with equal content count as renamed. */
export class Tally {
  readonly skipped: SkippedFile[] = [];
  documents = 0;
  chunks = 0;
  private readonly plan: SyncPlan;
  private readonly goneHashes: Map<string, number>;
  private bytes = 0;
  private added = 0;
  private changed = 0;
  private renamed = 0;
  private dropped = 0;
  private kept = 0;

  constructor(plan: SyncPlan) {
    this.plan = plan;
    this.goneHashes = new Map();
    for (const { hash } of plan.remove) {
      this.goneHashes.set(hash, (this.goneHashes.get(hash) ?? 0) + 1);
    }
  }

  skip(skip: SkippedFile, wasIndexed: boolean): void {
    this.skipped.push(skip);
    if (wasIndexed) this.dropped += 1;
  }

  keep(bytes: number): void {
    this.kept += 1;
    this.bytes += bytes;
  }

  /** @param bytes how much of the file was read */
  put(document: IndexedDocument, replaces: boolean, bytes: number): void {
    this.documents += 1;
    this.chunks += document.chunks.length;
    this.bytes += bytes;
    const gone = this.goneHashes.get(document.hash) ?? 0;
    if (replaces) this.changed += 1;
    else if (gone > 0) {
      this.goneHashes.set(document.hash, gone - 1);
      this.renamed += 1;
    } else this.added += 1;
  }

  /** Another part of a document already counted by {@link put}. */
  more(chunks: number, bytes: number): void {
    this.chunks += chunks;
    this.bytes += bytes;
  }

  result(stopped: boolean): ApplyResult {
    return {
      stopped,
      added: this.added,
      changed: this.changed,
      removed: this.plan.remove.length - this.renamed + this.dropped,
      renamed: this.renamed,
      unchanged: this.plan.unchanged + this.kept,
      chunks: this.chunks,
      bytes: this.bytes,
      skipped: this.skipped,
    };
  }
}
