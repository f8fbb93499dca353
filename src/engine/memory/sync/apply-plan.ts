import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../context.js';
import type { ChunkingOptions } from '../chunking/chunk-markdown.js';
import type { Change, IndexedDocument, MemoryIndex } from '../index/memory-index.js';
import type { MediaSelection } from '../sources/media-names.js';
import type { SkippedFile } from '../types.js';
import type { SyncEvent } from './events.js';
import { type LoadOutcome, loadDocument } from './load-document.js';
import type { PlannedRead, SyncPlan } from './plan-changes.js';

/** What applying a plan needs besides the plan. */
export interface ApplyOptions {
  readonly chunking: ChunkingOptions;
  /** Which media belong to the memory; undefined for none. */
  readonly media?: MediaSelection | undefined;
  readonly clock: Clock;
  /** Whether passages get vectors afterwards. */
  readonly vectorsFollow: boolean;
  readonly signal: AbortSignal | undefined;
  readonly onEvent: (event: SyncEvent) => void;
}

/** What was done; `stopped` when the signal ended it between two transactions. */
export interface ApplyResult {
  readonly stopped: boolean;
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  readonly renamed: number;
  readonly unchanged: number;
  readonly chunks: number;
  readonly bytes: number;
  readonly skipped: readonly SkippedFile[];
}

/** A transaction ends at whichever comes first: bounded memory, and never long to wait on Ctrl-C. */
const BATCH_DOCUMENTS = 256;
const BATCH_BYTES = 4 * 1024 * 1024;

/** Reads, cuts and stores what a plan names, in batches of one transaction each. */
export async function applyPlan(
  index: MemoryIndex,
  plan: SyncPlan,
  options: ApplyOptions,
): Promise<ApplyResult> {
  const tally = new Tally(plan);
  const batches = new Batches(plan, tally, options);
  while (!batches.done) {
    await batches.lookAhead();
    const { clock, vectorsFollow } = options;
    await index.apply({ atMs: clock.now(), vectorsFollow, changes: batches.take() });
    options.onEvent({ type: 'batch.committed', documents: tally.documents, chunks: tally.chunks });
    // Lets a screen draw and a signal arrive.
    await nextTurn();
    if (options.signal?.aborted === true && !batches.done) return tally.result(true);
  }
  return tally.result(false);
}

/**
 * A plan's changes, a batch at a time. A file is read when its change is asked for, in the midst of
 * the transaction, and let go of with the next one.
 */
class Batches {
  private readonly plan: SyncPlan;
  private readonly tally: Tally;
  private readonly options: ApplyOptions;
  private removed = false;
  private position = 0;
  private batch: readonly PlannedRead[] = [];
  private readonly ahead = new Map<PlannedRead, LoadOutcome>();

  constructor(plan: SyncPlan, tally: Tally, options: ApplyOptions) {
    this.plan = plan;
    this.tally = tally;
    this.options = options;
  }

  get done(): boolean {
    const removals = this.removed || this.plan.remove.length === 0;
    return removals && this.position >= this.plan.read.length;
  }

  /**
   * Chooses the next batch, and looks at its media: what they are is told by a library that answers
   * later, which a transaction cannot wait for. Of each only a few facts are kept.
   */
  async lookAhead(): Promise<void> {
    this.batch = this.nextBatch();
    const { media } = this.options;
    for (const planned of this.batch) {
      if (planned.file.kind !== 'media' || media === undefined) continue;
      const { loadMedia } = await import('./load-media.js');
      this.ahead.set(planned, await loadMedia(planned.file, planned.stored, media));
    }
  }

  *take(): Generator<Change> {
    if (!this.removed) yield* this.removals();
    this.removed = true;
    for (const planned of this.batch) {
      this.position += 1;
      const change = this.read(planned);
      if (change !== undefined) yield change;
    }
    this.batch = [];
    this.ahead.clear();
  }

  private nextBatch(): readonly PlannedRead[] {
    const batch: PlannedRead[] = [];
    let bytes = 0;
    for (const planned of this.plan.read.slice(this.position, this.position + BATCH_DOCUMENTS)) {
      if (bytes >= BATCH_BYTES) break;
      bytes += planned.file.size;
      batch.push(planned);
    }
    return batch;
  }

  private *removals(): Generator<Change> {
    for (const key of this.plan.remove) {
      this.options.onEvent({ type: 'document.removed', path: key.path });
      yield { type: 'remove', key };
    }
  }

  private read(planned: PlannedRead): Change | undefined {
    const { file, stored } = planned;
    const { onEvent, chunking } = this.options;
    const outcome = this.ahead.get(planned) ?? loadDocument(file, stored, chunking);
    if (outcome.state === 'skipped') {
      this.tally.skip(outcome.skip, stored !== undefined);
      onEvent({ type: 'document.skipped', ...outcome.skip });
      // A file that is there but cannot be read any more must not answer with its old text.
      return stored === undefined ? undefined : { type: 'remove', key: stored };
    }
    if (outcome.state === 'unchanged') {
      const bytes = outcome.fingerprint.size;
      this.tally.keep(bytes);
      onEvent({ type: 'document.unchanged', path: file.path, bytes });
      return { type: 'touch', key: file, fingerprint: outcome.fingerprint };
    }
    const { document } = outcome;
    const bytes = document.fingerprint.size;
    this.tally.put(document, stored !== undefined);
    onEvent({ type: 'document.indexed', path: file.path, bytes, chunks: document.chunks.length });
    return { type: 'put', document };
  }
}

/** Counts what a sync does. A document that vanished here and appeared there was renamed. */
class Tally {
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

  put(document: IndexedDocument, replaces: boolean): void {
    this.documents += 1;
    this.chunks += document.chunks.length;
    this.bytes += document.fingerprint.size;
    const gone = this.goneHashes.get(document.hash) ?? 0;
    if (replaces) this.changed += 1;
    else if (gone > 0) {
      this.goneHashes.set(document.hash, gone - 1);
      this.renamed += 1;
    } else this.added += 1;
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
