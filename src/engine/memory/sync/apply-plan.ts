import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../context.js';
import type { ChunkingOptions } from '../chunking/chunk-markdown.js';
import type { Forgotten } from '../forget/forgotten.js';
import type { Change, MemoryIndex, StoredDocument } from '../index/memory-index.js';
import type { MediaSelection } from '../sources/media-names.js';
import type { TranscriptFile } from '../sources/transcripts/transcript-files.js';
import type { SyncEvent } from './events.js';
import { type LoadOutcome, loadDocument } from './load-document.js';
import type { PlannedRead, SyncPlan } from './plan-changes.js';
import { type ApplyResult, Tally } from './tally.js';
import { isTranscript, TranscriptProgress } from './transcript-progress.js';

/** What applying a plan needs besides the plan. */
export interface ApplyOptions {
  readonly chunking: ChunkingOptions;
  readonly forgotten: Forgotten;
  /** Which media belong to the memory; undefined for none. */
  readonly media?: MediaSelection | undefined;
  readonly clock: Clock;
  /** Whether passages get vectors afterwards. */
  readonly vectorsFollow: boolean;
  readonly signal: AbortSignal | undefined;
  readonly onEvent: (event: SyncEvent) => void;
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
  try {
    return await applyBatches(index, batches, tally, options);
  } finally {
    batches.close();
  }
}

async function applyBatches(
  index: MemoryIndex,
  batches: Batches,
  tally: Tally,
  options: ApplyOptions,
): Promise<ApplyResult> {
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
  /** The transcript that is being read, a part at a time. */
  private transcript: TranscriptProgress | undefined;
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
    const { media, forgotten } = this.options;
    for (const planned of this.batch) {
      if (planned.file.kind !== 'media' || media === undefined) continue;
      const { loadMedia } = await import('./load-media.js');
      this.ahead.set(planned, await loadMedia(planned.file, planned.stored, media, forgotten));
    }
  }

  *take(): Generator<Change> {
    if (!this.removed) yield* this.removals();
    this.removed = true;
    let bytes = 0;
    for (const planned of this.batch) {
      const { file, stored } = planned;
      if (isTranscript(file)) {
        bytes += yield* this.readOn(file, stored, BATCH_BYTES - bytes);
        // The rest of it is the next batch's.
        if (this.transcript !== undefined) break;
      } else {
        bytes += file.size;
        const change = this.read(planned);
        if (change !== undefined) yield change;
      }
      this.position += 1;
    }
    this.batch = [];
    this.ahead.clear();
  }

  private nextBatch(): readonly PlannedRead[] {
    const batch: PlannedRead[] = [];
    let bytes = 0;
    for (const planned of this.plan.read.slice(this.position, this.position + BATCH_DOCUMENTS)) {
      if (bytes >= BATCH_BYTES) break;
      // Of a transcript only what is new is read, a part at a time.
      if (!isTranscript(planned.file)) bytes += planned.file.size;
      batch.push(planned);
    }
    return batch;
  }

  /**
   * Goes on reading a transcript, at least a part of it.
   *
   * @param budget bytes after which no further part is begun
   * @returns bytes read; `transcript` is left undefined when it was read to its end
   */
  private *readOn(
    file: TranscriptFile,
    stored: StoredDocument | undefined,
    budget: number,
  ): Generator<Change, number> {
    this.transcript ??= new TranscriptProgress(file, stored, this.options);
    let bytes = 0;
    do {
      const step = this.transcript.next(this.tally);
      bytes += step.bytes;
      if (step.change !== undefined) yield step.change;
      if (step.isLast) {
        this.transcript = undefined;
        break;
      }
    } while (bytes < budget);
    return bytes;
  }

  /** Lets go of a file that is not read to its end. */
  close(): void {
    this.transcript?.close();
  }

  private *removals(): Generator<Change> {
    for (const key of this.plan.remove) {
      this.options.onEvent({ type: 'document.removed', path: key.path });
      yield { type: 'remove', key };
    }
  }

  private read(planned: PlannedRead): Change | undefined {
    const { file, stored } = planned;
    const { onEvent, chunking, forgotten } = this.options;
    const outcome = this.ahead.get(planned) ?? loadDocument(file, stored, chunking, forgotten);
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
