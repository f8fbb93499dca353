import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../support/context.js';
import { type ChunkingOptions, chunkDocument } from '../chunking/index.js';
import type { ExtractedTexts } from '../extract/index.js';
import type { Forgotten } from '../forgotten/index.js';
import type { Change, MemoryIndex } from '../index/index.js';
import {
  linesWithoutOwnWriting,
  type MediaSelection,
  noteFacts,
  noteLinks,
  promotedLines,
  type ReadOutcome,
  readDocument,
  type TextLines,
} from '../sources/index.js';
import type { NoteFacts } from '../types.js';
import type { SyncEvent } from './events.js';
import {
  type ApplyResult,
  type FilePart,
  type FileStep,
  fileSteps,
  Tally,
  wholeFile,
} from './file-steps.js';
import { loadTranscript } from './load-transcript.js';
import { extractionMark, isTranscript, type PlannedRead, type SyncPlan } from './plan-changes.js';

export interface ApplyOptions {
  readonly chunking: ChunkingOptions;
  readonly forgotten: Forgotten;
  /** Which media belong to the memory; undefined for none. */
  readonly media?: MediaSelection | undefined;
  /** The texts of documents that are not read as they are. */
  readonly texts: ExtractedTexts;
  readonly clock: Clock;
  /** Whether passages are embedded afterwards. */
  readonly vectorsFollow: boolean;
  readonly signal: AbortSignal | undefined;
  readonly onEvent: (event: SyncEvent) => void;
}

/** A transaction ends at either limit, to bound memory and the delay on Ctrl-C. */
const BATCH_DOCUMENTS = 256;
const BATCH_BYTES = 4 * 1024 * 1024;
/** Each is a process. */
const EXTRACTIONS_AT_ONCE = 2;

/** Reads, chunks and stores the files of a plan, in batches of one transaction each. */
export async function applyPlan(
  index: MemoryIndex,
  plan: SyncPlan,
  options: ApplyOptions,
): Promise<ApplyResult> {
  const { clock, vectorsFollow, signal, onEvent } = options;
  const tally = new Tally(plan);
  const batches = new Batches(plan, tally, options);
  let atMs = 0;
  try {
    while (!batches.done) {
      // Before any of the files is read: a write from now on may leave their times as they are (see isRacy).
      if (!batches.isWithinFile) atMs = clock.now();
      await batches.lookAhead();
      if (batches.isInterrupted) return tally.result(true);
      await index.apply({ atMs, vectorsFollow, changes: batches.take() });
      const { documents, chunks } = tally;
      onEvent({ type: 'batch.committed', documents, chunks });
      // Lets a screen draw and a signal arrive.
      await nextTurn();
      if (signal?.aborted === true && !batches.done) return tally.result(true);
    }
    return tally.result(false);
  } finally {
    batches.close();
  }
}

/**
 * A plan's changes, a batch at a time. A file is read when its change is consumed, within the transaction,
 * and released with the next one.
 */
class Batches {
  private readonly plan: SyncPlan;
  private readonly tally: Tally;
  private readonly options: ApplyOptions;
  /** By the signal, before the batch was complete. */
  isInterrupted = false;
  private removed = false;
  private position = 0;
  /** The file being read, part by part. */
  private reading: Generator<FileStep, undefined> | undefined;
  private batch: readonly PlannedRead[] = [];
  private readonly ahead = new Map<PlannedRead, FilePart>();

  constructor(plan: SyncPlan, tally: Tally, options: ApplyOptions) {
    this.plan = plan;
    this.tally = tally;
    this.options = options;
  }

  get done(): boolean {
    const removals = this.removed || this.plan.remove.length === 0;
    return removals && this.position >= this.plan.read.length;
  }

  /** Whether the last batch ended in the middle of a file. */
  get isWithinFile(): boolean {
    return this.reading !== undefined;
  }

  /**
   * Chooses the next batch and inspects its media in advance, because that is asynchronous and a transaction
   * cannot wait. Only a few facts of each are kept.
   */
  async lookAhead(): Promise<void> {
    this.batch = this.nextBatch();
    const { media, forgotten } = this.options;
    for (const planned of this.batch) {
      if (planned.file.kind !== 'media' || media === undefined) continue;
      const { loadMedia } = await import('./load-media.js');
      this.ahead.set(planned, await loadMedia(planned.file, planned.stored, media, forgotten));
    }
    await this.extractAhead();
  }

  /** Extracts the texts of a batch, a few at a time. */
  private async extractAhead(): Promise<void> {
    const { signal } = this.options;
    const left = this.batch.filter(({ file }) => file.kind === 'extracted');
    const extractNext = async (): Promise<void> => {
      for (let next = left.shift(); next !== undefined; next = left.shift()) {
        const outcome = await this.options.texts.read(next.file, { keeps: true, signal });
        this.ahead.set(next, loaded(outcome, next, this.options));
      }
    };
    try {
      await Promise.all(Array.from({ length: EXTRACTIONS_AT_ONCE }, extractNext));
    } catch (error) {
      if (signal?.aborted !== true) throw error;
      this.isInterrupted = true;
    }
  }

  *take(): Generator<Change> {
    if (!this.removed) yield* this.removals();
    this.removed = true;
    let bytes = 0;
    for (const planned of this.batch) {
      bytes += yield* this.readOn(planned, BATCH_BYTES - bytes);
      // The rest is for the next batch.
      if (this.reading !== undefined) break;
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
      // Only the new parts of a transcript are read.
      if (!isTranscript(planned.file)) bytes += planned.file.size;
      batch.push(planned);
    }
    return batch;
  }

  /**
   * Reads a file, or continues it, by at least one part.
   *
   * @param budget bytes after which no further part is started
   * @returns bytes read; `reading` is undefined once it has been read to its end
   */
  private *readOn(planned: PlannedRead, budget: number): Generator<Change, number> {
    const { tally, options } = this;
    this.reading ??= fileSteps(planned, this.partsOf(planned), tally, options.onEvent);
    let bytes = 0;
    do {
      const step = this.reading.next().value;
      bytes += step?.bytes ?? 0;
      if (step?.change !== undefined) yield step.change;
      if (step?.isLast !== false) {
        this.close();
        break;
      }
    } while (bytes < budget);
    return bytes;
  }

  /** Closes the file that is being read. */
  close(): void {
    this.reading?.return(undefined);
    this.reading = undefined;
  }

  private *removals(): Generator<Change> {
    for (const key of this.plan.remove) {
      this.options.onEvent({ type: 'document.removed', path: key.path });
      yield { type: 'remove', key };
    }
  }

  private partsOf(planned: PlannedRead): Iterable<FilePart> {
    const { file, stored } = planned;
    const { chunking, forgotten } = this.options;
    if (isTranscript(file)) return loadTranscript(file, stored, chunking, forgotten);
    const ahead = this.ahead.get(planned);
    return [ahead ?? loaded(readDocument(file.absolutePath, file.path), planned, this.options)];
  }
}

/** @param own the lines without what svc wrote itself */
function factsOf(lines: TextLines, own: TextLines): NoteFacts | undefined {
  const facts = noteFacts(own);
  const promoted = promotedLines(lines);
  return promoted === undefined ? facts : { ...facts, promoted };
}

/** Chunks a file that was read, without its forgotten lines. */
function loaded(
  outcome: ReadOutcome,
  { file, stored }: PlannedRead,
  { chunking, forgotten, texts }: ApplyOptions,
): FilePart {
  if (!outcome.ok) return { state: 'skipped', skip: outcome.skip };
  const { source, path, kind } = file;
  const { fingerprint, hash: fileHash } = outcome.document;
  const { lines, mark } = forgotten.cover(outcome.document.lines, fileHash);
  const isExtracted = kind === 'extracted';
  if (isExtracted && mark !== '') texts.drop(fileHash);
  // Changes to the forget list make it a different document.
  const hash = fileHash + (isExtracted ? extractionMark() : '') + mark;
  if (stored?.hash === hash && stored.kind === kind) return { state: 'unchanged', fingerprint };
  const own = isExtracted ? lines : linesWithoutOwnWriting(lines);
  const chunks = chunkDocument(file, own, chunking);
  const about = kind === 'markdown' ? { facts: factsOf(lines, own), links: noteLinks(own) } : {};
  return wholeFile({ source, path, kind, fingerprint, hash, chunks, ...about });
}
