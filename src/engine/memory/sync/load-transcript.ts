import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import type { ChunkingOptions } from '../chunking/chunk-markdown.js';
import { TurnChunker } from '../chunking/chunk-turns.js';
import type { Forgotten } from '../forget/forgotten.js';
import type { Change, StoredDocument } from '../index/memory-index.js';
import { type JsonlLine, jsonlLines } from '../sources/transcripts/jsonl-lines.js';
import { prefixPrint } from '../sources/transcripts/prefix-print.js';
import type { TranscriptFile } from '../sources/transcripts/transcript-files.js';
import { initialState, type ReadingState, readTurn } from '../sources/transcripts/turn-reader.js';
import { skipOf } from '../sources/walk.js';
import type { Chunk, FileFingerprint, SkippedFile } from '../types.js';
import { parseResumePoint, type ResumePoint, resumeText } from './resume-point.js';

/** A stretch of a transcript as changes of the index. */
export type TranscriptPart =
  | {
      readonly state: 'changed';
      readonly change: Change;
      readonly chunks: number;
      /** Bytes read for it. */
      readonly bytes: number;
      /** Nothing of the file is left to be read. */
      readonly isLast: boolean;
    }
  /** It says what the index has already. */
  | { readonly state: 'unchanged'; readonly fingerprint: FileFingerprint }
  | { readonly state: 'skipped'; readonly skip: SkippedFile };

/** How much of a file goes into one part, in bytes: what lies in memory at a time. */
const PART_BYTES = 1024 * 1024;

/** Where a line begins, and what is known there. */
interface Mark {
  readonly offset: number;
  readonly line: number;
  readonly reading: ReadingState;
}

/**
 * Reads a transcript in parts, each of which leaves an index that is right as far as it goes and says
 * where to go on: from where the last run stopped when the file only grew, from its beginning when it
 * was written over. A last line that is not whole yet waits for its rest.
 */
export function* loadTranscript(
  file: TranscriptFile,
  stored: StoredDocument | undefined,
  chunking: ChunkingOptions,
  forgotten: Forgotten,
): Generator<TranscriptPart> {
  let descriptor: number | undefined;
  try {
    // Not through a link that was put in the file's place meanwhile, and not waiting on a pipe.
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    descriptor = openSync(file.absolutePath, flags);
    const { size, mtimeMs, ctimeMs } = fstatSync(descriptor);
    const fingerprint = { size, mtimeMs, ctimeMs };
    const resume = stored === undefined ? undefined : resumable(descriptor, stored, fingerprint);
    if (resume !== undefined && stored?.fingerprint.size === size) {
      yield { state: 'unchanged', fingerprint };
      return;
    }
    yield* new TranscriptLoad(file, descriptor, fingerprint, chunking, forgotten).parts(resume);
  } catch (error) {
    yield { state: 'skipped', skip: { ...skipOf(file.absolutePath, error), path: file.path } };
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** Where to go on, when all that was read before still stands in the file. */
function resumable(
  descriptor: number,
  stored: StoredDocument,
  { size, mtimeMs }: FileFingerprint,
): ResumePoint | undefined {
  const resume = stored.resume === undefined ? undefined : parseResumePoint(stored.resume);
  if (resume === undefined || size < stored.fingerprint.size) return undefined;
  // As long as before and written since: that is no growth.
  if (size === stored.fingerprint.size && mtimeMs !== stored.fingerprint.mtimeMs) return undefined;
  return prefixPrint(descriptor, resume.end) === stored.hash ? resume : undefined;
}

/** One pass over a transcript, from its beginning or from where the last one stopped. */
class TranscriptLoad {
  private readonly file: TranscriptFile;
  private readonly descriptor: number;
  private readonly fingerprint: FileFingerprint;
  private readonly forgotten: Forgotten;
  private readonly chunker: TurnChunker<Mark>;
  private reading: ReadingState;
  private chunks: Chunk[] = [];
  /** How many chunks at the document's end are written anew by the next change; undefined to begin it. */
  private replaces: number | undefined;

  constructor(
    file: TranscriptFile,
    descriptor: number,
    fingerprint: FileFingerprint,
    chunking: ChunkingOptions,
    forgotten: Forgotten,
  ) {
    this.file = file;
    this.descriptor = descriptor;
    this.fingerprint = fingerprint;
    this.forgotten = forgotten;
    this.chunker = new TurnChunker(chunking);
    this.reading = initialState(file.place);
  }

  *parts(resume: ResumePoint | undefined): Generator<TranscriptPart> {
    const { size } = this.fingerprint;
    this.reading = resume?.reading ?? this.reading;
    this.replaces = resume?.openChunks;
    const from = resume ?? { offset: 0, line: 1 };
    let next = { offset: from.offset, line: from.line };
    let begun = from.offset;
    const lines = this.reading.isExcluded ? [] : jsonlLines(this.descriptor, from, size);
    for (const line of lines) {
      if (!line.isEnded) {
        yield this.lastPart(next, line, size - begun);
        return;
      }
      this.take(line);
      next = { offset: line.end, line: line.number + 1 };
      if (this.reading.isExcluded) break;
      if (line.end - begun < PART_BYTES || line.end === size) continue;
      yield this.part(next, line.end - begun);
      begun = line.end;
    }
    // Of a file that is left out nothing more is read, however it grows.
    const end = this.reading.isExcluded ? { ...next, offset: size } : next;
    yield this.lastPart(end, undefined, next.offset - begun);
  }

  private take(line: JsonlLine): void {
    const { offset, number } = line;
    const mark = { offset, line: number, reading: this.reading };
    const { turn, state } = readTurn(line, this.reading, this.file.place);
    this.reading = state;
    if (turn === undefined) return;
    const text = this.forgotten.leftOf(turn.text);
    if (text === '') return;
    this.chunks.push(...this.chunker.add({ ...turn, text, line: number, mark }));
  }

  /**
   * @param unended the file's last line where no line end follows it: what it says counts, and half of
   *   a JSON object says nothing, but it is read again next time
   */
  private lastPart(
    next: { readonly offset: number; readonly line: number },
    unended: JsonlLine | undefined,
    bytes: number,
  ): TranscriptPart {
    const point = this.pointAt(next);
    const sure = this.chunks.length;
    if (unended !== undefined) this.take(unended);
    this.chunks.push(...this.chunker.tail());
    const open = { ...point, openChunks: this.chunks.length - sure };
    return this.changeOf(open, this.fingerprint, bytes, true);
  }

  private part(
    next: { readonly offset: number; readonly line: number },
    bytes: number,
  ): TranscriptPart {
    // Not what the disk says: should this be the last that is done, the file is to be read on.
    const halfway = { size: next.offset, mtimeMs: 0, ctimeMs: 0 };
    return this.changeOf({ ...this.pointAt(next), openChunks: 0 }, halfway, bytes, false);
  }

  private pointAt(next: { readonly offset: number; readonly line: number }): ResumePoint {
    const first = this.chunker.first ?? { ...next, reading: this.reading };
    const { brokenLines, isExcluded } = this.reading;
    return { ...first, end: next.offset, openChunks: 0, brokenLines, isExcluded };
  }

  private changeOf(
    point: ResumePoint,
    fingerprint: FileFingerprint,
    bytes: number,
    isLast: boolean,
  ): TranscriptPart {
    const { source, path, kind } = this.file;
    const hash = prefixPrint(this.descriptor, point.end) ?? '';
    const resume = resumeText(point);
    const { chunks, replaces } = this;
    this.chunks = [];
    this.replaces = point.openChunks;
    const document = { source, path, kind, fingerprint, hash, chunks, resume };
    const change: Change =
      replaces === undefined
        ? { type: 'put', document }
        : { type: 'extend', document, replacesLast: replaces };
    return { state: 'changed', change, chunks: chunks.length, bytes, isLast };
  }
}
