import type { IndexedDocument } from '../index/index.js';
import type { SkippedFile } from '../types.js';
import type { SyncSummary } from './events.js';
import type { SyncPlan } from './plan-changes.js';

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
