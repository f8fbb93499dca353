import { closeSync, fstatSync, openSync } from 'node:fs';
import { crypto } from '../../support/crypto.js';
import { READ_NO_LINK } from '../../support/files.js';
import { pushAll } from '../../support/lists.js';
import { isRecord, parsedJson } from '../../support/text.js';
import type { ChunkingOptions } from '../chunking/chunk-markdown.js';
import { TurnChunker } from '../chunking/chunk-turns.js';
import type { Forgotten } from '../forgotten/index.js';
import type { StoredDocument } from '../index/index.js';
import { fingerprintOf, type NumberedTurn, skipOf, type TranscriptFile } from '../sources/index.js';
import {
  beginningOf,
  isCount,
  prefixPrint,
  printerWhileReading,
  type ReadingPoint,
  readingPointIn,
  type TranscriptLine,
  transcriptLines,
} from '../sources/transcripts/read-conversation.js';
import { type Chunk, type FileFingerprint, READ_AGAIN_MS, READ_IN_PART_MS } from '../types.js';
import { type FilePart, wholeFile } from './file-steps.js';

/** Bytes per part, to bound memory. */
const PART_BYTES = 1024 * 1024;

interface TranscriptOptions {
  readonly chunking: ChunkingOptions;
  readonly forgotten: Forgotten;
}

/**
 * Reads a transcript in parts, each of which leaves a consistent index with a resume point: reading resumes
 * where the last run stopped if the file only grew, and restarts if it was rewritten. An incomplete last line
 * is read again later.
 */
export function* loadTranscript(
  file: TranscriptFile,
  stored: StoredDocument | undefined,
  options: TranscriptOptions,
): Generator<FilePart> {
  let descriptor: number | undefined;
  try {
    if (file.turns !== undefined) {
      yield* chunkStoredTurns(file, file.turns(), stored, options);
      return;
    }
    descriptor = openSync(file.absolutePath, READ_NO_LINK);
    const fingerprint = fingerprintOf(fstatSync(descriptor));
    let resume = resumePointOf(descriptor, stored, fingerprint);
    if (resume !== undefined && stored?.fingerprint.ctimeMs === READ_AGAIN_MS) {
      const isStale =
        resume.hasLeftOut ||
        (yield* findForgotten(file, descriptor, fingerprint, options.forgotten));
      // It may have been rewritten meanwhile.
      resume = isStale ? undefined : resumePointOf(descriptor, stored, fingerprint);
    }
    if (resume !== undefined && stored?.fingerprint.size === fingerprint.size) {
      yield { state: 'unchanged', fingerprint };
      return;
    }
    yield* readParts({ file, descriptor, fingerprint, resume, ...options });
  } catch (error) {
    yield { state: 'skipped', skip: { ...skipOf(file.absolutePath, error), path: file.path } };
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/**
 * A conversation from a database or a compressed file, which becomes one change. What was read counts as it is read: the
 * size of such a file may be a number of messages.
 */
function* chunkStoredTurns(
  file: TranscriptFile,
  turns: Iterable<NumberedTurn>,
  stored: StoredDocument | undefined,
  { chunking, forgotten }: TranscriptOptions,
): Generator<FilePart> {
  const { source, path, kind } = file;
  const fingerprint = fingerprintOf(file);
  const chunker = new TurnChunker<undefined>(chunking);
  const chunks: Chunk[] = [];
  const content = crypto().createHash('sha256');
  let isExcluded = true;
  let bytes = 0;
  for (const { role, at, line, text: fullText } of turns) {
    isExcluded = false;
    bytes += fullText.length;
    if (bytes >= PART_BYTES) {
      yield { state: 'checked', bytes };
      bytes = 0;
    }
    const text = forgotten.removeFrom(fullText);
    if (text === '') continue;
    content.update(JSON.stringify([line, role, at, text]));
    pushAll(chunks, chunker.add({ role, at, line, text, mark: undefined }));
  }
  pushAll(chunks, chunker.tail());
  yield { state: 'checked', bytes };
  const hash = content.digest('hex');
  if (stored?.hash === hash) {
    yield { state: 'unchanged', fingerprint };
    return;
  }
  const resume = JSON.stringify({ isExcluded });
  yield wholeFile({ source, path, kind, fingerprint, hash, chunks, resume });
}

/** The resume point, if everything read before is unchanged. */
function resumePointOf(
  descriptor: number,
  stored: StoredDocument | undefined,
  { size, mtimeMs }: FileFingerprint,
): ResumePoint | undefined {
  if (stored?.resume === undefined || size < stored.fingerprint.size) return undefined;
  const resume = parseResumePoint(stored.resume);
  if (resume === undefined) return undefined;
  // The same size but modified: rewritten, not grown.
  if (size === stored.fingerprint.size && mtimeMs !== stored.fingerprint.mtimeMs) return undefined;
  return prefixPrint(descriptor, resume.end) === stored.hash ? resume : undefined;
}

/** @returns whether any turn would not be indexed as it is */
function* findForgotten(
  { place }: TranscriptFile,
  descriptor: number,
  { size }: FileFingerprint,
  forgotten: Forgotten,
): Generator<FilePart, boolean> {
  if (forgotten.isEmpty) return false;
  let partStart = 0;
  for (const { line, turn } of transcriptLines(descriptor, beginningOf(place), size, place)) {
    if (turn !== undefined && forgotten.removeFrom(turn.text) !== turn.text) return true;
    if (line.end - partStart < PART_BYTES && line.end < size) continue;
    yield { state: 'checked', bytes: line.end - partStart };
    partStart = line.end;
  }
  return false;
}

interface OpenTranscript extends TranscriptOptions {
  readonly file: TranscriptFile;
  readonly descriptor: number;
  readonly fingerprint: FileFingerprint;
  /** Undefined to read from the beginning. */
  readonly resume: ResumePoint | undefined;
}

/** One pass over a transcript, from its beginning or a resume point. */
function* readParts({
  file,
  descriptor,
  fingerprint,
  resume,
  chunking,
  forgotten,
}: OpenTranscript): Generator<FilePart> {
  const { size } = fingerprint;
  const printOf = printerWhileReading(descriptor, size);
  const chunker = new TurnChunker<ReadingPoint>(chunking);
  let chunks: Chunk[] = [];
  /** How many chunks at the document's end the next change replaces; undefined for a new document. */
  let replaces = resume?.openChunks;
  let hasLeftOut = resume?.hasLeftOut ?? false;

  const addTurn = ({ turn, at: mark }: TranscriptLine): void => {
    if (turn === undefined) return;
    const text = forgotten.removeFrom(turn.text);
    hasLeftOut ||= text !== turn.text;
    if (text !== '') pushAll(chunks, chunker.add({ ...turn, text, mark }));
  };

  const resumePointAt = (next: ReadingPoint): ResumePoint => {
    const { brokenLines, isExcluded } = next.reading;
    const first = chunker.first ?? next;
    return { ...first, end: next.offset, openChunks: 0, brokenLines, isExcluded, hasLeftOut };
  };

  const partUpTo = (
    point: ResumePoint,
    fingerprint: FileFingerprint,
    bytes: number,
    isLast: boolean,
  ): FilePart => {
    const { source, path, kind } = file;
    // Without a print, the file is read from its beginning next time.
    const hash = printOf(point.end) ?? '';
    const resume = JSON.stringify(point);
    const document = { source, path, kind, fingerprint, hash, chunks, resume };
    const change =
      replaces === undefined
        ? ({ type: 'put', document } as const)
        : ({ type: 'extend', document, replacesLast: replaces } as const);
    chunks = [];
    replaces = point.openChunks;
    return { state: 'changed', change, bytes, isLast };
  };

  let next: ReadingPoint = resume ?? beginningOf(file.place);
  let partStart = next.offset;
  /** An unterminated last line: it counts if it is complete JSON, and is read again next time. */
  let unterminated: TranscriptLine | undefined;
  for (const read of transcriptLines(descriptor, next, size, file.place)) {
    const { line } = read;
    if (!line.isEnded) {
      unterminated = read;
      break;
    }
    addTurn(read);
    ({ next } = read);
    if (next.reading.isExcluded) break;
    if (line.end - partStart < PART_BYTES || line.end === size) continue;
    // Not the real fingerprint: if this is the last part that is stored, the file must be read again.
    const halfway = { ...fingerprint, size: next.offset, ctimeMs: READ_IN_PART_MS };
    yield partUpTo(resumePointAt(next), halfway, line.end - partStart, false);
    partStart = line.end;
  }
  // An excluded file is never read again, however it grows.
  const point = resumePointAt(next.reading.isExcluded ? { ...next, offset: size } : next);
  const completeChunks = chunks.length;
  if (unterminated !== undefined) addTurn(unterminated);
  pushAll(chunks, chunker.tail());
  const openChunks = chunks.length - completeChunks;
  const bytes = (unterminated === undefined ? next.offset : size) - partStart;
  yield partUpTo({ ...point, openChunks, hasLeftOut }, fingerprint, bytes, true);
}

/** The first line to read again: the start of the last chunk that may grow. */
interface ResumePoint extends ReadingPoint {
  /** Byte offset up to which all lines were read; the document's hash covers this part. */
  readonly end: number;
  /** How many chunks at the document's end are recreated from lines that are read again. */
  readonly openChunks: number;
  /** Of all lines read. */
  readonly brokenLines: number;
  readonly isExcluded: boolean;
  /** Whether forgotten text was left out, also of lines that are read again. */
  readonly hasLeftOut: boolean;
}

/** Undefined for an invalid text: then the file is read from its beginning. */
function parseResumePoint(text: string): ResumePoint | undefined {
  const value = parsedJson(text);
  const point = readingPointIn(value);
  if (point === undefined || !isRecord(value)) return undefined;
  const { end, openChunks, brokenLines, isExcluded, hasLeftOut = true } = value;
  if (!isCount(end) || !isCount(openChunks) || !isCount(brokenLines)) return undefined;
  if (typeof isExcluded !== 'boolean' || typeof hasLeftOut !== 'boolean') return undefined;
  return { ...point, end, openChunks, brokenLines, isExcluded, hasLeftOut };
}
