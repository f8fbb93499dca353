import type { Change, IndexedDocument } from '../index/index.js';
import type { FileFingerprint, SkippedFile } from '../types.js';
import type { SyncEvent, SyncSummary } from './events.js';
import { isTranscript, type PlannedRead, type SyncPlan } from './plan-changes.js';

/** A part of a file as index changes; only transcripts have several. */
export type FilePart =
  | {
      readonly state: 'changed';
      readonly change: Extract<Change, { type: 'extend' | 'put' }>;
      readonly bytes: number;
      /** Whether this is the end of the file. */
      readonly isLast: boolean;
    }
  /** Its content is unchanged. */
  | { readonly state: 'unchanged'; readonly fingerprint: FileFingerprint }
  | { readonly state: 'skipped'; readonly skip: SkippedFile };

/** The only part of a file that is read as a whole. */
export function wholeFile(document: IndexedDocument): FilePart {
  const { size: bytes } = document.fingerprint;
  return { state: 'changed', change: { type: 'put', document }, bytes, isLast: true };
}

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
      tally.countSkipped(part.skip, stored !== undefined);
      onEvent({ type: 'document.skipped', ...part.skip });
      // An unreadable file must not be found by its old text.
      const isIndexed = stored !== undefined || hasBegun;
      const change = isIndexed ? ({ type: 'remove', key: file } as const) : undefined;
      yield { change, bytes: 0, isLast: true };
    } else if (part.state === 'unchanged') {
      const { fingerprint } = part;
      tally.countUnchanged(isTranscript(file) ? 0 : fingerprint.size);
      onEvent({ type: 'document.unchanged', path, bytes: fingerprint.size });
      yield { change: { type: 'touch', key: file, fingerprint }, bytes: 0, isLast: true };
    } else {
      const { change, isLast } = part;
      chunks += change.document.chunks.length;
      bytes += part.bytes;
      tally.countRead(change.document, part.bytes);
      if (!hasBegun) tally.countDocument(change.document.hash, stored !== undefined);
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
  private removedUnreadable = 0;
  private unchanged = 0;

  constructor(plan: SyncPlan) {
    this.plan = plan;
    this.goneHashes = new Map();
    for (const { hash } of plan.remove) {
      this.goneHashes.set(hash, (this.goneHashes.get(hash) ?? 0) + 1);
    }
  }

  countSkipped(skip: SkippedFile, wasIndexed: boolean): void {
    this.skipped.push(skip);
    if (wasIndexed) this.removedUnreadable += 1;
  }

  countUnchanged(bytes: number): void {
    this.unchanged += 1;
    this.bytes += bytes;
  }

  /** A document, or a part of it. @param bytes how much of the file was read */
  countRead({ chunks }: IndexedDocument, bytes: number): void {
    this.chunks += chunks.length;
    this.bytes += bytes;
  }

  countDocument(hash: string, wasIndexed: boolean): void {
    this.documents += 1;
    const gone = this.goneHashes.get(hash) ?? 0;
    if (wasIndexed) this.changed += 1;
    else if (gone > 0) {
      this.goneHashes.set(hash, gone - 1);
      this.renamed += 1;
    } else this.added += 1;
  }

  result(stopped: boolean): ApplyResult {
    return {
      stopped,
      added: this.added,
      changed: this.changed,
      removed: this.plan.remove.length - this.renamed + this.removedUnreadable,
      renamed: this.renamed,
      unchanged: this.plan.unchanged + this.unchanged,
      chunks: this.chunks,
      bytes: this.bytes,
      skipped: this.skipped,
    };
  }
}
