import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { crypto } from '../../../support/crypto.js';
import { READ_NO_LINK, withFile } from '../../../support/files.js';
import { isRecord } from '../../../support/text.js';
import { fingerprintOf } from '../walk.js';
import { type JsonlLine, jsonlLines, type LinePosition, type LineSource } from './jsonl-lines.js';
import { TRANSCRIPT_READERS } from './readers/index.js';
import {
  isOfProject,
  type LineMeaning,
  type LineRecord,
  maskedText,
  type NumberedTurn,
  recordIn,
  type TranscriptFile,
  type TranscriptPlace,
  type Turn,
  type zstdDecompressor,
} from './transcript-reader.js';

/** The start of a line of a transcript, and what is known there. */
export interface ReadingPoint extends LinePosition {
  readonly reading: ReadingState;
}

/** Where reading a file stopped. */
export interface StopPoint extends ReadingPoint {
  /** Fingerprint of everything before the offset. */
  readonly print: string;
}

/** What was read of a transcript. */
export type ConversationPart = ReturnType<typeof readConversation>;

/** Which turns to read, by their lines; those of a database count as the end of a file. */
export interface WantedTurns {
  /** @param offset in a file of this size */
  readonly isWanted: (line: number, offset: number, size: number) => boolean;
  /** Nothing after it is read. */
  readonly lastLine?: number;
}

const ALL: WantedTurns = { isWanted: () => true };

/** The turns of a conversation, in order, with secrets masked. @throws the system's error */
export function* turnsOf(
  file: TranscriptFile,
  { isWanted, lastLine = Number.POSITIVE_INFINITY }: WantedTurns = ALL,
): Generator<NumberedTurn> {
  for (const [line, turn] of linesOf(file, isWanted)) {
    if (line > lastLine) return;
    if (turn !== undefined) yield turn;
  }
}

/** The turns of a conversation, up to what cannot be read. */
export function* readableTurns(file: TranscriptFile): Generator<NumberedTurn> {
  try {
    yield* turnsOf(file);
  } catch {
    // Its agent may have deleted it just now; what cannot be read is reported by syncs.
  }
}

/** The numbers of all lines of a conversation, with the turns in those that are wanted. @throws the system's error */
export function* linesOf(
  file: TranscriptFile,
  isWanted: WantedTurns['isWanted'],
): Generator<readonly [line: number, turn: NumberedTurn | undefined]> {
  if (file.turns !== undefined) {
    for (const turn of file.turns()) {
      yield [turn.line, isWanted(turn.line, 0, 0) ? turn : undefined];
    }
    return;
  }
  const descriptor = openSync(file.absolutePath, READ_NO_LINK);
  try {
    const { size } = fstatSync(descriptor);
    const { place } = file;
    const all = transcriptLines(descriptor, beginningOf(place), size, place, isWanted);
    for (const { line, turn, next } of all) {
      if (next.reading.isExcluded) return;
      yield [line.number, turn];
    }
  } finally {
    closeSync(descriptor);
  }
}

/** A line of a transcript with its turn, where it starts, and where the next one does. */
export interface TranscriptLine {
  readonly line: JsonlLine;
  readonly turn: NumberedTurn | undefined;
  readonly at: ReadingPoint;
  readonly next: ReadingPoint;
}

/** Reads the lines of a transcript from a point on, and nothing after one that excludes the file. */
export function* transcriptLines(
  source: LineSource,
  from: ReadingPoint,
  size: number,
  place: TranscriptPlace,
  isWanted = ALL.isWanted,
): Generator<TranscriptLine> {
  let at = from;
  if (at.reading.isExcluded) return;
  // The first lines identify the agent, and whether this is a conversation at all.
  const isRead = (line: number, offset: number): boolean =>
    !at.reading.hasBegun || isWanted(line, offset, size);
  for (const line of jsonlLines(source, from, size, isRead)) {
    const { number, offset } = line;
    const { turn, state: reading } = readTurn(line, at.reading, place);
    const isTurn = turn !== undefined && isWanted(number, offset, size);
    const next = { offset: line.end, line: number + 1, reading };
    yield { line, turn: isTurn ? { ...turn, line: number } : undefined, at, next };
    if (reading.isExcluded) return;
    at = next;
  }
}

/** It is in memory as a whole. */
const MOST_UNPACKED_BYTES = 512 * 1024 * 1024;

/** The turns of a transcript that is compressed with Zstandard. @throws the system's error, or that of its content */
export function* compressedTurns(
  path: string,
  place: TranscriptPlace,
  decompress: NonNullable<ReturnType<typeof zstdDecompressor>>,
): Generator<NumberedTurn> {
  const packed = withFile(path, READ_NO_LINK, (descriptor) => readFileSync(descriptor));
  const content = decompress(packed, { maxOutputLength: MOST_UNPACKED_BYTES });
  for (const { turn } of transcriptLines(content, beginningOf(place), content.length, place)) {
    if (turn !== undefined) yield turn;
  }
}

/** Its last turns are in this part of a file, unless long output of tools follows them. */
const TAIL_BYTES = 64 * 1024;

/** The time of the last turn of a transcript, from the end of its file; undefined if none there has one. */
export function lastTurnAt({ absolutePath, place }: TranscriptFile): string | undefined {
  return withFile(absolutePath, READ_NO_LINK, (descriptor) => {
    const { size } = fstatSync(descriptor);
    const from = { offset: Math.max(0, size - TAIL_BYTES), line: 1 };
    const lines = [...jsonlLines(descriptor, from, size, () => true)];
    const reading = { ...beginningOf(place).reading, belongs: true, hasBegun: true };
    // Backwards, because masking secrets in the text of all of them would take most of the time.
    for (const line of lines.toReversed()) {
      const at = readTurn(line, reading, place).turn?.at;
      if (at !== undefined) return at;
    }
    return undefined;
  });
}

/** Reads what a transcript says after a point; all of it if the point is no longer valid. @throws the system's error */
export function readConversation(file: TranscriptFile, after: StopPoint | undefined) {
  if (file.turns !== undefined) {
    const turns = [...file.turns()];
    // Unpacking a compressed file takes its time even if little of it was said.
    const bytes = turns.reduce((sum, { text }) => sum + text.length, file.size);
    return { fingerprint: fingerprintOf(file), continues: false, turns, end: undefined, bytes };
  }
  return withFile(file.absolutePath, READ_NO_LINK, (descriptor) => {
    /** Taken before reading. */
    const stats = fstatSync(descriptor);
    const fingerprint = fingerprintOf(stats);
    const printOf = printerWhileReading(descriptor, stats.size);
    /** True if these are the turns after the point that was passed, and not all of them. */
    const isValid = after !== undefined && prefixPrint(descriptor, after.offset) === after.print;
    let point: ReadingPoint = isValid ? after : beginningOf(file.place);
    const { offset: start } = point;
    const turns: NumberedTurn[] = [];
    let isWhole = true;
    for (const { line, turn, next } of transcriptLines(descriptor, point, stats.size, file.place)) {
      if (turn !== undefined) turns.push(turn);
      // An unterminated last line may still be being written.
      isWhole = line.isEnded;
      if (isWhole) point = next;
    }
    const print = isWhole ? printOf(point.offset) : undefined;
    /** Undefined where it has to be read from its beginning next time. */
    const end = print === undefined ? undefined : { ...point, print };
    const kept = point.reading.isExcluded ? [] : turns;
    return { fingerprint, continues: isValid, turns: kept, end, bytes: point.offset - start };
  });
}

/** Up to this size the whole beginning is hashed, which takes about a millisecond. */
const WHOLE_BYTES = 1024 * 1024;
const SAMPLES = 32;
const SAMPLE_BYTES = WHOLE_BYTES / SAMPLES;

/**
 * A hash to detect changes in the beginning of a file at constant cost: its length and evenly spaced samples, including
 * the first and last bytes. Insertions and deletions shift the last sample; only same-length replacements between
 * samples go unnoticed.
 *
 * @returns SHA-256, hexadecimal; undefined when the file is shorter
 */
export function prefixPrint(descriptor: number, bytes: number): string | undefined {
  const hash = crypto().createHash('sha256').update(`${bytes}:`);
  const isWhole = bytes <= WHOLE_BYTES;
  const length = isWhole ? bytes : SAMPLE_BYTES;
  const buffer = Buffer.alloc(length);
  const count = isWhole ? 1 : SAMPLES;
  for (let sample = 0; sample < count && length > 0; sample++) {
    const at = isWhole ? 0 : Math.floor(((bytes - length) * sample) / (SAMPLES - 1));
    if (readSync(descriptor, buffer, 0, length, at) < length) return undefined;
    hash.update(buffer);
  }
  return hash.digest('hex');
}

/**
 * Makes the prints of a file of which everything up to a size is read from now on.
 *
 * @returns like {@link prefixPrint}, but undefined if the file was rewritten since: what was read may be of before
 */
export function printerWhileReading(descriptor: number, size: number) {
  const before = prefixPrint(descriptor, size);
  return (bytes: number): string | undefined => {
    const print = prefixPrint(descriptor, bytes);
    const now = bytes === size ? print : prefixPrint(descriptor, size);
    return before !== undefined && now === before ? print : undefined;
  };
}

/** What is known of a transcript at a line, sufficient to resume reading. Immutable. */
export interface ReadingState {
  /** Whether the conversation is this agent's; undefined until a line records its folder. */
  readonly belongs: boolean | undefined;
  /** The file is excluded, whatever follows. */
  readonly isExcluded: boolean;
  /** There was a turn before. */
  readonly hasBegun: boolean;
  /** Lines so far that are not JSON, or too long. */
  readonly brokenLines: number;
  /** Id of the turn before, for agents that rewrite lines. */
  readonly lastTurn: string | undefined;
}

/** The result of a line, and the state after it. */
export interface ReadLine {
  readonly turn: Turn | undefined;
  readonly state: ReadingState;
}

/** A point as it was stored; undefined for anything else: then the file is read from its beginning. */
export function readingPointIn(stored: unknown): ReadingPoint | undefined {
  const state = isRecord(stored) ? stored['reading'] : undefined;
  if (!isRecord(stored) || !isRecord(state)) return undefined;
  const { offset, line } = stored;
  const reading = readingStateIn(state);
  if (!isCount(offset) || !isCount(line) || reading === undefined) return undefined;
  return { offset, line, reading };
}

function readingStateIn(stored: Readonly<Record<string, unknown>>): ReadingState | undefined {
  const { belongs, isExcluded, hasBegun, brokenLines, lastTurn } = stored;
  if (belongs !== undefined && typeof belongs !== 'boolean') return undefined;
  if (lastTurn !== undefined && typeof lastTurn !== 'string') return undefined;
  if (typeof isExcluded !== 'boolean' || typeof hasBegun !== 'boolean') return undefined;
  if (!isCount(brokenLines)) return undefined;
  return { belongs, isExcluded, hasBegun, brokenLines, lastTurn };
}

export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** A stop point as it was stored; undefined for anything else, as for {@link readingPointIn}. */
export function stopPointIn(stored: unknown): StopPoint | undefined {
  const point = readingPointIn(stored);
  const print = isRecord(stored) ? stored['print'] : undefined;
  return point === undefined || typeof print !== 'string' ? undefined : { ...point, print };
}

export function beginningOf({ projectFolders }: TranscriptPlace): ReadingPoint {
  const reading = {
    belongs: projectFolders === undefined ? true : undefined,
    isExcluded: false,
    hasBegun: false,
    brokenLines: 0,
    lastTurn: undefined,
  };
  return { offset: 0, line: 1, reading };
}

/** Reads one line of a transcript. Secrets in the result are masked; nothing else of the line is ever stored or shown. */
export function readTurn(line: JsonlLine, state: ReadingState, place: TranscriptPlace): ReadLine {
  if (state.isExcluded || line.text?.trim() === '') return { turn: undefined, state };
  const record = recordIn(line.text);
  if (record === undefined) {
    return { turn: undefined, state: { ...state, brokenLines: state.brokenLines + 1 } };
  }
  const known = { ...state, belongs: state.belongs ?? belongsToProject(record, place) };
  if (known.belongs === false) return { turn: undefined, state: { ...known, isExcluded: true } };
  return applyMeaning(TRANSCRIPT_READERS[place.reader].read(record), known);
}

function applyMeaning(meaning: LineMeaning, state: ReadingState): ReadLine {
  switch (meaning.type) {
    case 'noise':
      return { turn: undefined, state };
    case 'exclude':
      // Later in a conversation this is only an episode of it.
      return { turn: undefined, state: state.hasBegun ? state : { ...state, isExcluded: true } };
    case 'turn': {
      // Without a folder it is unknown whose it is.
      if (state.belongs === undefined) return { turn: undefined, state };
      const { turn, key } = meaning;
      const text = maskedText(turn.text);
      const lastTurn =
        key === undefined ? undefined : crypto().hash('sha256', `${key}\n${text}`).slice(0, 16);
      if (lastTurn !== undefined && lastTurn === state.lastTurn) return { turn: undefined, state };
      return { turn: { ...turn, text }, state: { ...state, hasBegun: true, lastTurn } };
    }
  }
}

function belongsToProject(
  record: LineRecord,
  { reader, projectFolders }: TranscriptPlace,
): boolean | undefined {
  const { folderOf, mayBeOfProject } = TRANSCRIPT_READERS[reader];
  // For agents whose lines do not record the folder, the path was checked.
  if (folderOf === undefined) return mayBeOfProject !== undefined;
  const folder = folderOf(record);
  return folder === undefined ? undefined : isOfProject(folder, projectFolders ?? []);
}
