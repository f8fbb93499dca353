import { letOthersWork } from '../../support/async.js';
import type { Clock } from '../../support/context.js';
import { chunkDocument } from '../chunking/chunk-document.js';
import type { ChunkingOptions } from '../chunking/chunk-markdown.js';
import type { ExtractedTexts } from '../extract/index.js';
import type { Forgotten } from '../forgotten/index.js';
import type { Change, MemoryIndex, StoredDocument } from '../index/index.js';
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
import type { DocumentKey, NoteFacts } from '../types.js';
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

/** A transaction ends at any of these limits, to bound memory and the delay on Ctrl-C. */
const BATCH_DOCUMENTS = 256;
const BATCH_BYTES = 4 * 1024 * 1024;
/** Files whose text is extracted: one can take half a minute, and nothing is shown before the last of them. */
const BATCH_EXTRACTIONS = 16;
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
  const remove = [...plan.remove];
  let removals = 0;
  let position = 0;
  /** The file being read, part by part; a batch may end in the middle of it. */
  let reading: Generator<FileStep, undefined> | undefined;
  const isDone = (): boolean => remove.length === 0 && position >= plan.read.length;
  const endFile = (): void => {
    reading?.return(undefined);
    reading = undefined;
  };

  /** A file is read when its change is consumed, within the transaction, and released with the next one. */
  function* changesOf(
    removed: readonly DocumentKey[],
    batch: readonly PlannedRead[],
    ahead: LoadedAhead,
  ): Generator<Change> {
    for (const key of removed) {
      removals += 1;
      const counts = { removed: removals, toRemove: plan.remove.length };
      onEvent({ type: 'document.removed', path: key.path, ...counts });
      yield { type: 'remove', key };
    }
    let bytes = 0;
    for (const planned of batch) {
      reading ??= fileSteps(planned, partsOf(planned, ahead, options), tally, onEvent);
      do {
        const step = reading.next().value;
        bytes += step?.bytes ?? 0;
        if (step?.change !== undefined) yield step.change;
        if (step?.isLast === false) continue;
        endFile();
        position += 1;
      } while (reading !== undefined && bytes < BATCH_BYTES);
      // The rest is for the next batch.
      if (bytes >= BATCH_BYTES) return;
    }
  }

  let readMs = 0;
  try {
    while (!isDone()) {
      // Before any of the files is read: a write from now on may leave their times as they are (see isRacy).
      if (reading === undefined) readMs = clock.now();
      const removed = remove.splice(0, removedAtOnce(remove));
      const mostRead = remove.length > 0 ? 0 : BATCH_DOCUMENTS;
      const batch = nextBatch(plan.read.slice(position, position + mostRead));
      const ahead = await loadAhead(batch, options);
      if (ahead === undefined) return tally.result(true);
      const changes = changesOf(removed, batch, ahead);
      await index.apply({ atMs: readMs, vectorsFollow, changes, signal });
      onEvent({ type: 'batch.committed', documents: tally.documents });
      if (isDone()) break;
      // A screen draws, a signal arrives, and a server answers.
      await letOthersWork();
      if (signal?.aborted === true) return tally.result(true);
    }
    return tally.result(false);
  } finally {
    endFile();
  }
}

/** How many documents one transaction removes: of a long conversation, thousands of passages. */
function removedAtOnce(documents: readonly StoredDocument[]): number {
  let bytes = 0;
  const end = documents.findIndex(({ fingerprint }, at) => {
    if (at === BATCH_DOCUMENTS || bytes >= BATCH_BYTES) return true;
    bytes += fingerprint.size;
    return false;
  });
  return end === -1 ? documents.length : end;
}

function nextBatch(planned: readonly PlannedRead[]): readonly PlannedRead[] {
  let bytes = 0;
  let extractions = 0;
  const end = planned.findIndex(({ file }) => {
    if (bytes >= BATCH_BYTES || extractions >= BATCH_EXTRACTIONS) return true;
    // Only the new parts of a transcript are read.
    if (!isTranscript(file)) bytes += file.size;
    if (file.kind === 'extracted') extractions += 1;
    return false;
  });
  return end === -1 ? planned : planned.slice(0, end);
}

type LoadedAhead = ReadonlyMap<PlannedRead, FilePart>;

/**
 * Inspects the media of a batch in advance, and extracts its texts, a few at a time, because that is asynchronous
 * and a transaction cannot wait. Only a few facts of each are kept.
 *
 * @returns undefined when the signal interrupted it
 */
async function loadAhead(
  batch: readonly PlannedRead[],
  options: ApplyOptions,
): Promise<LoadedAhead | undefined> {
  const { media, forgotten, signal, texts } = options;
  const ahead = new Map<PlannedRead, FilePart>();
  for (const planned of batch) {
    if (planned.file.kind !== 'media' || media === undefined) continue;
    const { loadMedia } = await import('./load-media.js');
    ahead.set(planned, await loadMedia(planned.file, planned.stored, media, forgotten));
  }
  const left = batch.filter(({ file }) => file.kind === 'extracted');
  const extractNext = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const outcome = await texts.read(next.file, { keeps: true, signal });
      ahead.set(next, partOfFile(outcome, next, options));
    }
  };
  try {
    await Promise.all(Array.from({ length: EXTRACTIONS_AT_ONCE }, extractNext));
    return ahead;
  } catch (error) {
    if (signal?.aborted !== true) throw error;
    return undefined;
  }
}

function partsOf(
  planned: PlannedRead,
  ahead: LoadedAhead,
  options: ApplyOptions,
): Iterable<FilePart> {
  const { file, stored } = planned;
  if (isTranscript(file)) return loadTranscript(file, stored, options);
  const read = ahead.get(planned);
  return [read ?? partOfFile(readDocument(file.absolutePath, file.path), planned, options)];
}

/** @param own the lines without what svc wrote itself */
function factsOf(lines: TextLines, own: TextLines): NoteFacts | undefined {
  const facts = noteFacts(own);
  const promoted = promotedLines(lines);
  return promoted === undefined ? facts : { ...facts, promoted };
}

/** Chunks a file that was read, without its forgotten lines. */
function partOfFile(
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
