import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../context.js';
import type { ChunkingOptions } from '../chunking/chunk-markdown.js';
import type { Change, MemoryIndex } from '../index/memory-index.js';
import type { SyncEvent } from './events.js';
import { loadDocument } from './load-document.js';
import type { PlannedRead, SyncPlan } from './plan-changes.js';
import { type ApplyResult, Tally } from './tally.js';
import { isTranscript, TranscriptProgress } from './transcript-progress.js';

/** What applying a plan needs besides the plan. */
export interface ApplyOptions {
  readonly chunking: ChunkingOptions;
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

  constructor(plan: SyncPlan, tally: Tally, options: ApplyOptions) {
    this.plan = plan;
    this.tally = tally;
    this.options = options;
  }

  get done(): boolean {
    const removals = this.removed || this.plan.remove.length === 0;
    return removals && this.position >= this.plan.read.length;
  }

  *take(): Generator<Change> {
    if (!this.removed) yield* this.removals();
    this.removed = true;
    const end = this.position + BATCH_DOCUMENTS;
    for (let bytes = 0; this.position < end && bytes < BATCH_BYTES; ) {
      const planned = this.plan.read[this.position];
      if (planned === undefined) return;
      if (isTranscript(planned.file)) {
        this.transcript ??= new TranscriptProgress(planned.file, planned.stored, this.options);
        const step = this.transcript.next(this.tally);
        bytes += step.bytes;
        if (step.change !== undefined) yield step.change;
        if (!step.isLast) continue;
        this.transcript = undefined;
      } else {
        bytes += planned.file.size;
        const change = this.read(planned);
        if (change !== undefined) yield change;
      }
      this.position += 1;
    }
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

  private read({ file, stored }: PlannedRead): Change | undefined {
    const { onEvent, chunking } = this.options;
    const outcome = loadDocument(file, stored, chunking);
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
