import { isRecord } from '../../../config/index.js';
import { crypto } from '../../../support/crypto.js';
import { parsedJson } from '../../../support/text.js';
import type { JsonlLine } from './jsonl-lines.js';
import { TRANSCRIPT_READERS } from './readers/index.js';
import {
  isHeldIn,
  type LineMeaning,
  type LineRecord,
  maskedText,
  type TranscriptPlace,
  type Turn,
} from './transcript-reader.js';

/** What is known of a transcript at a line, sufficient to resume reading. Immutable. */
export interface ReadingState {
  /** Whether the conversation is this agent's; undefined until a line records where it was held. */
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

export function initialState({ heldIn }: TranscriptPlace): ReadingState {
  return {
    belongs: heldIn === undefined ? true : undefined,
    isExcluded: false,
    hasBegun: false,
    brokenLines: 0,
    lastTurn: undefined,
  };
}

/**
 * Reads one line of a transcript. Secrets in the result are masked; nothing else of the line is ever stored
 * or shown.
 */
export function readTurn(line: JsonlLine, state: ReadingState, place: TranscriptPlace): ReadLine {
  if (state.isExcluded) return { turn: undefined, state };
  if (line.text?.trim() === '') return { turn: undefined, state };
  const record = line.text === undefined ? undefined : recordOf(line.text);
  if (record === undefined) {
    return { turn: undefined, state: { ...state, brokenLines: state.brokenLines + 1 } };
  }
  const known = { ...state, belongs: state.belongs ?? belonging(record, place) };
  if (known.belongs === false) return { turn: undefined, state: { ...known, isExcluded: true } };
  return take(TRANSCRIPT_READERS[place.reader].read(record), known);
}

function take(meaning: LineMeaning, state: ReadingState): ReadLine {
  switch (meaning.type) {
    case 'noise':
      return { turn: undefined, state };
    case 'exclude':
      // Later in a conversation this is only an episode of it.
      return { turn: undefined, state: state.hasBegun ? state : { ...state, isExcluded: true } };
    case 'turn': {
      // Without a location it cannot be attributed.
      if (state.belongs === undefined) return { turn: undefined, state };
      const { turn, key } = meaning;
      const text = maskedText(turn.text);
      const lastTurn = key === undefined ? undefined : nameOf(key, text);
      if (lastTurn !== undefined && lastTurn === state.lastTurn) return { turn: undefined, state };
      return { turn: { ...turn, text }, state: { ...state, hasBegun: true, lastTurn } };
    }
  }
}

function recordOf(text: string): LineRecord | undefined {
  const value = parsedJson(text);
  return isRecord(value) ? value : undefined;
}

function belonging(record: LineRecord, { reader, heldIn }: TranscriptPlace): boolean | undefined {
  const { heldIn: held, heldInByPath } = TRANSCRIPT_READERS[reader];
  // For agents whose lines do not tell, the path did.
  if (held === undefined) return heldInByPath !== undefined;
  const where = held(record);
  return where === undefined ? undefined : isHeldIn(where, heldIn ?? []);
}

function nameOf(key: string, text: string): string {
  return crypto().hash('sha256', `${key}\n${text}`).slice(0, 16);
}
