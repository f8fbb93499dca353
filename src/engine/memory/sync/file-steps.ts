import type { Change, IndexedDocument } from '../index/index.js';
import type { FileFingerprint, SkippedFile } from '../types.js';
import type { SyncEvent, SyncSummary } from './events.js';
import { isTranscript, type PlannedRead, type SyncPlan, workOf } from './plan-changes.js';

/** A part of a file as index changes; only transcripts have several. */
export type FilePart =
  | {
      readonly state: 'changed';
      readonly change: Extract<Change, { type: 'extend' | 'put' }>;
      readonly bytes: number;
      /** Whether this is the end of the file. */
      readonly isLast: boolean;
    }
  /** Nothing is known yet, but this much was read. */
  | { readonly state: 'checked'; readonly bytes: number }
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
  const work = workOf(file);
  /** The text of such a conversation counts as it is checked. */
  const isStored = isTranscript(file) && file.turns !== undefined;
  let chunks = 0;
  let hasBegun = false;
  for (const part of parts) {
    switch (part.state) {
      case 'skipped': {
        tally.countSkipped(part.skip, stored !== undefined);
        onEvent({ type: 'document.skipped', ...part.skip, work });
        // An unreadable file must not be found by its old text.
        const isIndexed = stored !== undefined || hasBegun;
        const change = isIndexed ? ({ type: 'remove', key: file } as const) : undefined;
        yield { change, bytes: 0, isLast: true };
        break;
      }
      case 'checked':
        tally.countBytes(part.bytes);
        yield { change: undefined, bytes: part.bytes, isLast: false };
        break;
      case 'unchanged': {
        const { fingerprint } = part;
        tally.countUnchanged(isTranscript(file) ? 0 : fingerprint.size);
        onEvent({ type: 'document.unchanged', path, work });
        yield { change: { type: 'touch', key: file, fingerprint }, bytes: 0, isLast: true };
        break;
      }
      case 'changed': {
        const { change, isLast } = part;
        chunks += change.document.chunks.length;
        tally.countRead(change.document, isStored ? 0 : part.bytes);
        if (!hasBegun) tally.countDocument(change.document.hash, stored !== undefined);
        hasBegun = true;
        if (isLast) onEvent({ type: 'document.indexed', path, work, chunks });
        yield { change, bytes: part.bytes, isLast };
      }
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
  documents = 0;
  private readonly counts = {
    added: 0,
    changed: 0,
    removed: 0,
    renamed: 0,
    unchanged: 0,
    chunks: 0,
    bytes: 0,
  };
  private readonly skipped: SkippedFile[] = [];
  private readonly goneHashes = new Map<string, number>();

  constructor({ remove, unchanged }: SyncPlan) {
    this.counts.removed = remove.length;
    this.counts.unchanged = unchanged;
    for (const { hash } of remove) {
      this.goneHashes.set(hash, (this.goneHashes.get(hash) ?? 0) + 1);
    }
  }

  countSkipped(skip: SkippedFile, wasIndexed: boolean): void {
    this.skipped.push(skip);
    if (wasIndexed) this.counts.removed += 1;
  }

  countUnchanged(bytes: number): void {
    this.counts.unchanged += 1;
    this.countBytes(bytes);
  }

  countBytes(bytes: number): void {
    this.counts.bytes += bytes;
  }

  /** A document, or a part of it. @param bytes how much of the file was read */
  countRead({ chunks }: IndexedDocument, bytes: number): void {
    this.counts.chunks += chunks.length;
    this.countBytes(bytes);
  }

  countDocument(hash: string, wasIndexed: boolean): void {
    this.documents += 1;
    const gone = this.goneHashes.get(hash) ?? 0;
    if (wasIndexed) this.counts.changed += 1;
    else if (gone > 0) {
      this.goneHashes.set(hash, gone - 1);
      this.counts.renamed += 1;
      this.counts.removed -= 1;
    } else this.counts.added += 1;
  }

  result(stopped: boolean): ApplyResult {
    return { stopped, ...this.counts, skipped: this.skipped };
  }
}
