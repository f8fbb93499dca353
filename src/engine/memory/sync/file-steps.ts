import type { Change, IndexedDocument } from '../index/index.js';
import type { SkippedFile } from '../types.js';
import type { SyncEvent, SyncSummary } from './events.js';
import type { FilePart } from './load-transcript.js';
import { isTranscript, type PlannedRead, type SyncPlan } from './plan-changes.js';

/** One step through a file. */
export interface FileStep {
  /** Undefined for no change. */
  readonly change: Change | undefined;
  readonly bytes: number;
  readonly isLast: boolean;
}

/**
 * Steps through the parts of a file, which may be in several transactions, and counts and reports them. The
 * file of a transcript is open until all parts were read, or the steps are ended.
 */
export function* fileSteps(
  { file, stored }: PlannedRead,
  parts: Iterable<FilePart>,
  tally: Tally,
  onEvent: (event: SyncEvent) => void,
): Generator<FileStep, undefined> {
  const { path } = file;
  let [chunks, bytes] = [0, 0];
  let hasBegun = false;
  for (const part of parts) {
    if (part.state === 'skipped') {
      tally.skip(part.skip, stored !== undefined);
      onEvent({ type: 'document.skipped', ...part.skip });
      // An unreadable file must not be found by its old text.
      const isIndexed = stored !== undefined || hasBegun;
      const change = isIndexed ? ({ type: 'remove', key: file } as const) : undefined;
      yield { change, bytes: 0, isLast: true };
    } else if (part.state === 'unchanged') {
      const { fingerprint } = part;
      tally.keep(isTranscript(file) ? 0 : fingerprint.size);
      onEvent({ type: 'document.unchanged', path, bytes: fingerprint.size });
      yield { change: { type: 'touch', key: file, fingerprint }, bytes: 0, isLast: true };
    } else {
      const { change, isLast } = part;
      chunks += part.chunks;
      bytes += part.bytes;
      if (hasBegun) tally.more(part.chunks, part.bytes);
      else tally.put(change.document, stored !== undefined, part.bytes);
      hasBegun = true;
      if (isLast) onEvent({ type: 'document.indexed', path, bytes, chunks });
      yield { change, bytes: part.bytes, isLast };
    }
  }
}

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
