import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { crypto } from '../../../support/crypto.js';
import { READ_NO_LINK } from '../../../support/files.js';
import type { FileFingerprint } from '../../types.js';
import { fingerprintOf } from '../walk.js';
import { jsonlLines } from './jsonl-lines.js';
import type { NumberedTurn, TranscriptFile } from './transcript-reader.js';
import { initialState, type ReadingState, readTurn } from './turn-reader.js';

/** Where reading a file stopped. */
export interface StopPoint {
  /** Byte offset of the next line, and its 1-based number. */
  readonly offset: number;
  readonly line: number;
  readonly reading: ReadingState;
  /** Fingerprint of everything before the offset. */
  readonly print: string;
}

/** What was read of a transcript. */
export interface ConversationPart {
  /** Taken before reading. */
  readonly fingerprint: FileFingerprint;
  /** True if these are the turns after the point that was passed, and not all of them. */
  readonly continues: boolean;
  readonly turns: readonly NumberedTurn[];
  /** Undefined where it has to be read from its beginning next time. */
  readonly end: StopPoint | undefined;
}

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
  if (file.turns !== undefined) {
    for (const turn of file.turns()) {
      if (turn.line <= lastLine && isWanted(turn.line, 0, 0)) yield turn;
    }
    return;
  }
  const descriptor = openSync(file.absolutePath, READ_NO_LINK);
  try {
    const { size } = fstatSync(descriptor);
    let state = initialState(file.place);
    // The first lines identify the agent, and whether this is a conversation at all.
    const isRead = (line: number, offset: number): boolean =>
      !state.hasBegun || isWanted(line, offset, size);
    for (const line of jsonlLines(descriptor, BEGINNING, size, isRead)) {
      if (line.number > lastLine) return;
      const { turn, state: after } = readTurn(line, state, file.place);
      state = after;
      if (state.isExcluded) return;
      if (turn !== undefined && isWanted(line.number, line.offset, size)) {
        yield { ...turn, line: line.number };
      }
    }
  } finally {
    closeSync(descriptor);
  }
}

const BEGINNING = { offset: 0, line: 1 };

/**
 * Reads what a transcript says after a point; all of it if the point is no longer valid.
 *
 * @throws the system's error
 */
export function readConversation(
  file: TranscriptFile,
  after: StopPoint | undefined,
): ConversationPart {
  if (file.turns !== undefined) {
    const fingerprint = fingerprintOf(file);
    return { fingerprint, continues: false, turns: [...file.turns()], end: undefined };
  }
  const descriptor = openSync(file.absolutePath, READ_NO_LINK);
  try {
    const stats = fstatSync(descriptor);
    const fingerprint = fingerprintOf(stats);
    const isValid = after !== undefined && prefixPrint(descriptor, after.offset) === after.print;
    const from = isValid ? after : { ...BEGINNING, reading: initialState(file.place) };
    const turns: NumberedTurn[] = [];
    let { offset, line: number, reading } = from;
    let isWhole = true;
    const lines = reading.isExcluded
      ? []
      : jsonlLines(descriptor, { offset, line: number }, stats.size);
    for (const line of lines) {
      const read = readTurn(line, reading, file.place);
      if (read.turn !== undefined) turns.push({ ...read.turn, line: line.number });
      // An unterminated last line may still be being written.
      isWhole = line.isEnded;
      if (!isWhole) break;
      reading = read.state;
      offset = line.end;
      number = line.number + 1;
      if (reading.isExcluded) break;
    }
    const print = isWhole ? prefixPrint(descriptor, offset) : undefined;
    const end = print === undefined ? undefined : { offset, line: number, reading, print };
    return { fingerprint, continues: isValid, turns: reading.isExcluded ? [] : turns, end };
  } finally {
    closeSync(descriptor);
  }
}

/** Up to this size the whole beginning is hashed. */
const WHOLE_BYTES = 64 * 1024;
const SAMPLES = 32;
const SAMPLE_BYTES = 2 * 1024;

/**
 * A hash to detect changes in the beginning of a file at constant cost: its length and evenly spaced samples,
 * including the first and last bytes. Insertions and deletions shift the last sample; only same-length
 * replacements between samples go unnoticed.
 *
 * @param bytes length of the beginning
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
