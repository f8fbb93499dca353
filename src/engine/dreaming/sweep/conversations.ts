import { closeSync, fstatSync, openSync } from 'node:fs';
import type { Forgotten } from '../../memory/forget/index.js';
import type { LineRange, SkippedFile } from '../../memory/index.js';
import {
  type NumberedTurn,
  scanTranscripts,
  skipOf,
  type TranscriptFile,
  type TranscriptPlace,
} from '../../memory/sources/index.js';
import { jsonlLines } from '../../memory/sources/transcripts/jsonl-lines.js';
import { initialState, readTurn } from '../../memory/sources/transcripts/turn-reader.js';
import { READ_NO_LINK } from '../../support/files.js';
import { groupBy } from '../../support/lists.js';
import {
  type Claim,
  type SpokenText,
  splitClaims,
  turnClaims,
  turnParts,
} from '../claims/split-claims.js';
import type { ClaimPlace } from '../scoring/recall-entry.js';

/** One message of a conversation. */
export interface Message extends SpokenTurn {
  /** `sessions/main/….jsonl`. */
  readonly path: string;
  /** Time of the message in milliseconds since the epoch, or of its file if the message has no time. */
  readonly atMs: number;
  readonly isDated: boolean;
}

interface ConversationOptions {
  readonly places: readonly TranscriptPlace[];
  readonly forgotten: readonly Forgotten[];
  readonly onSkip: (skip: SkippedFile) => void;
}

/** Messages a sweep reads, in total and from one file (facts §7.5). */
const MOST_MESSAGES = 240;
const MOST_OF_A_FILE = 80;
const LEAST_OF_A_FILE = 12;
/** The latest messages are at the end of a file; only this many bytes are read. */
const TAIL_BYTES = 8 * 1024 * 1024;
/** A claim is searched for this many lines around its place; transcripts are append-only. */
const LINES_AROUND = 200;

/** The conversations of the agents sharing a workspace. */
export class Conversations {
  private readonly options: ConversationOptions;
  private files: readonly (readonly TranscriptFile[])[] | undefined;

  constructor(options: ConversationOptions) {
    this.options = options;
  }

  /**
   * The latest messages between two days (`YYYY-MM-DD`, inclusive), starting with the most recent
   * conversation. Deterministic as long as nothing is added.
   */
  *messages(from: string, to: string, dayOf: (ms: number) => string): Generator<Message> {
    const recent = this.scan()
      // A file not modified since `from` has no messages from these days.
      .filter(([file]) => file !== undefined && dayOf(file.mtimeMs) >= from)
      .sort(([a], [b]) => (b?.mtimeMs ?? 0) - (a?.mtimeMs ?? 0) || compare(a?.path, b?.path));
    const share = Math.ceil(MOST_MESSAGES / Math.max(1, recent.length));
    const mostOfAFile = Math.min(MOST_OF_A_FILE, Math.max(LEAST_OF_A_FILE, share));
    let left = MOST_MESSAGES;
    for (const same of recent) {
      const messages = this.turnsOf(same, (_line, offset, size) => offset >= size - TAIL_BYTES)
        .map(({ file, turn, at }): Message => {
          const atMs = at === undefined ? Number.NaN : Date.parse(at);
          const isDated = !Number.isNaN(atMs);
          return { ...turn, path: file.path, atMs: isDated ? atMs : file.mtimeMs, isDated };
        })
        .filter(({ atMs }) => dayOf(atMs) >= from && dayOf(atMs) <= to)
        .slice(-Math.min(left, mostOfAFile));
      left -= messages.length;
      yield* messages;
      if (left === 0) return;
    }
  }

  /** The messages around a place; undefined if the conversation no longer exists. */
  read({ path, startLine, endLine }: Omit<ClaimPlace, 'source'>): SourceText | undefined {
    const same = this.scan().find(([file]) => file?.path === path);
    if (same === undefined) return undefined;
    const range = {
      startLine: Math.max(1, startLine - LINES_AROUND),
      endLine: endLine + LINES_AROUND,
    };
    const turns = this.turnsOf(
      same,
      (line) => line >= range.startLine && line <= range.endLine,
      range.endLine,
    );
    return conversationText(
      turns.map(({ turn }) => turn),
      range,
    );
  }

  /** Transcripts grouped by displayed path, which several agents may share. */
  private scan(): readonly (readonly TranscriptFile[])[] {
    if (this.files !== undefined) return this.files;
    const all = this.options.places.flatMap((place) => {
      const { files, skipped } = scanTranscripts({ places: [place] });
      for (const skip of skipped) this.options.onSkip(skip);
      return files;
    });
    this.files = [...groupBy(all, ({ path }) => path).values()];
    return this.files;
  }

  private turnsOf(
    same: readonly TranscriptFile[],
    isWanted: (line: number, offset: number, size: number) => boolean,
    lastLine = Number.POSITIVE_INFINITY,
  ): readonly FoundTurn[] {
    for (const file of same) {
      const turns = this.turnsIn(file, isWanted, lastLine);
      if (turns.length > 0) return turns;
    }
    return [];
  }

  private turnsIn(
    file: TranscriptFile,
    isWanted: (line: number, offset: number, size: number) => boolean,
    lastLine: number,
  ): readonly FoundTurn[] {
    let descriptor: number | undefined;
    try {
      if (file.turns !== undefined) return this.storedTurns(file, file.turns(), isWanted, lastLine);
      descriptor = openSync(file.absolutePath, READ_NO_LINK);
      const { size } = fstatSync(descriptor);
      const found: FoundTurn[] = [];
      let state = initialState(file.place);
      // The first lines identify the agent, and whether this is a conversation at all.
      const isRead = (line: number, offset: number): boolean =>
        !state.hasBegun || isWanted(line, offset, size);
      for (const line of jsonlLines(descriptor, { offset: 0, line: 1 }, size, isRead)) {
        if (line.number > lastLine) break;
        if (line.text === undefined) continue;
        const read = readTurn(line, state, file.place);
        state = read.state;
        if (state.isExcluded) return [];
        if (read.turn === undefined || !isWanted(line.number, line.offset, size)) continue;
        const { role, at } = read.turn;
        const text = this.leftOf(read.turn.text);
        if (text !== '') found.push({ file, turn: { role, text, line: line.number }, at });
      }
      return found;
    } catch (error) {
      this.options.onSkip({ ...skipOf(file.absolutePath, error), path: file.path });
      return [];
    } finally {
      if (descriptor !== undefined) closeSync(descriptor);
    }
  }

  /** The same of a conversation from a database, which is as short as the end of a file. */
  private storedTurns(
    file: TranscriptFile,
    turns: Iterable<NumberedTurn>,
    isWanted: (line: number, offset: number, size: number) => boolean,
    lastLine: number,
  ): readonly FoundTurn[] {
    return [...turns].flatMap(({ role, at, line, text: said }): readonly FoundTurn[] => {
      const text = line <= lastLine && isWanted(line, 0, 0) ? this.leftOf(said) : '';
      return text === '' ? [] : [{ file, turn: { role, text, line }, at }];
    });
  }

  private leftOf(text: string): string {
    return this.options.forgotten.reduce((left, forgotten) => forgotten.leftOf(left), text);
  }
}

interface FoundTurn {
  readonly file: TranscriptFile;
  readonly turn: SpokenTurn;
  /** ISO 8601. */
  readonly at: string | undefined;
}

function compare(a = '', b = ''): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The current text of a document. */
export interface SourceText {
  readonly claims: readonly Claim[];
  /** Readable lines, from `startLine` (1-based). */
  readonly lines: readonly string[];
  readonly startLine: number;
  /** Finds a verbatim quote that is not a claim: search splits long messages at other points. */
  quoted(text: string): Claim | undefined;
}

export function noteText(text: string): SourceText {
  return {
    claims: splitClaims(text),
    lines: text.split(/\r?\n/u),
    startLine: 1,
    quoted: () => undefined,
  };
}

interface SpokenTurn extends SpokenText {
  readonly role: 'assistant' | 'user';
}

/** @param range the lines that were searched for messages */
function conversationText(turns: readonly SpokenTurn[], range: LineRange): SourceText {
  const byLine = new Map(turns.map((turn) => [turn.line, turn]));
  const last = Math.max(range.startLine - 1, ...byLine.keys());
  const lines = Array.from({ length: last - range.startLine + 1 }, (_, at) => {
    const turn = byLine.get(range.startLine + at);
    if (turn === undefined) return '';
    const said = turn.text.replaceAll(/\s+/gu, ' ').trim();
    return `${turn.role === 'user' ? 'User' : 'Assistant'}: ${said}`;
  });
  return {
    claims: turns.flatMap(turnClaims),
    lines,
    startLine: range.startLine,
    quoted: (text) => {
      const turn = turns.find((one) => turnParts(one.text).some((part) => part.includes(text)));
      if (turn === undefined) return undefined;
      return { text, headingPath: [], startLine: turn.line, endLine: turn.line };
    },
  };
}
