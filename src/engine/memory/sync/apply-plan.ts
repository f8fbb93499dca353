import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../context.js';
import { type ChunkingOptions, chunkMarkdown } from '../chunking/chunk-markdown.js';
import type { ChangeSet, IndexedDocument, MemoryIndex } from '../index/memory-index.js';
import { type DocumentText, readDocument } from '../sources/read-document.js';
import type { SkippedFile } from '../types.js';
import type { SyncEvent } from './events.js';
import type { PlannedRead, SyncPlan } from './plan-changes.js';

/** What applying a plan needs besides the plan. */
export interface ApplyOptions {
  readonly chunking: ChunkingOptions;
  readonly clock: Clock;
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

interface Batch {
  readonly put: IndexedDocument[];
  readonly touch: ChangeSet['touch'][number][];
  readonly remove: ChangeSet['remove'][number][];
  atMs: number;
  bytes: number;
}

/** Reads, cuts and stores what a plan names, in batches of one transaction each. */
export async function applyPlan(
  index: MemoryIndex,
  plan: SyncPlan,
  options: ApplyOptions,
): Promise<ApplyResult> {
  const tally = new Tally(plan);
  let batch = newBatch(options.clock);
  batch.remove.push(...plan.remove);
  for (const document of plan.remove) {
    options.onEvent({ type: 'document.removed', path: document.path });
  }
  for (const planned of plan.read) {
    addToBatch(batch, planned, tally, options);
    if (batch.put.length < BATCH_DOCUMENTS && batch.bytes < BATCH_BYTES) continue;
    await commit(index, batch, tally, options);
    batch = newBatch(options.clock);
    if (options.signal?.aborted === true) return tally.result(true);
  }
  await commit(index, batch, tally, options);
  return tally.result(false);
}

function newBatch(clock: Clock): Batch {
  return { put: [], touch: [], remove: [], atMs: clock.now(), bytes: 0 };
}

function addToBatch(
  batch: Batch,
  { file, stored }: PlannedRead,
  tally: Tally,
  options: ApplyOptions,
): void {
  const outcome = readDocument(file.absolutePath, file.path);
  if (!outcome.ok) {
    tally.skip(outcome.skip, stored !== undefined);
    options.onEvent({ type: 'document.skipped', ...outcome.skip });
    // A file that is there but cannot be read any more must not answer with its old text.
    if (stored !== undefined) batch.remove.push(stored);
    return;
  }
  const { document } = outcome;
  batch.bytes += document.fingerprint.size;
  if (stored?.hash === document.hash) {
    batch.touch.push({ source: file.source, path: file.path, fingerprint: document.fingerprint });
    const bytes = document.fingerprint.size;
    tally.keep(bytes);
    options.onEvent({ type: 'document.unchanged', path: file.path, bytes });
    return;
  }
  const indexed = toIndexed(file, document, options.chunking);
  batch.put.push(indexed);
  tally.put(indexed, stored !== undefined);
  options.onEvent({
    type: 'document.indexed',
    path: file.path,
    bytes: document.fingerprint.size,
    chunks: indexed.chunks.length,
  });
}

function toIndexed(
  file: PlannedRead['file'],
  { fingerprint, hash, lines }: DocumentText,
  chunking: ChunkingOptions,
): IndexedDocument {
  const chunks = chunkMarkdown(lines, chunking);
  return { source: file.source, path: file.path, fingerprint, hash, chunks };
}

async function commit(
  index: MemoryIndex,
  batch: Batch,
  tally: Tally,
  options: ApplyOptions,
): Promise<void> {
  const { put, touch, remove, atMs } = batch;
  if (put.length + touch.length + remove.length > 0) {
    await index.apply({ put, touch, remove, atMs });
    options.onEvent({ type: 'batch.committed', documents: tally.documents, chunks: tally.chunks });
  }
  // Lets a screen draw and a signal arrive.
  await nextTurn();
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
