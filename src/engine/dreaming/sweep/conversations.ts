import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import type { Forgotten } from '../../memory/forget/forgotten.js';
import { jsonlLines } from '../../memory/sources/transcripts/jsonl-lines.js';
import {
  scanTranscripts,
  type TranscriptFile,
  type TranscriptPlace,
} from '../../memory/sources/transcripts/transcript-files.js';
import { initialState, readTurn } from '../../memory/sources/transcripts/turn-reader.js';
import { skipOf } from '../../memory/sources/walk.js';
import type { SkippedFile } from '../../memory/types.js';
import type { ClaimPlace } from '../scoring/recall-entry.js';
import { conversationText, type SourceText, type SpokenTurn } from './source-text.js';

/** Something that was said, and when. */
export interface Message extends SpokenTurn {
  /** `sessions/main/….jsonl`. */
  readonly path: string;
  /** In milliseconds since the epoch: of the message, or of its file where the message has no time. */
  readonly atMs: number;
  readonly isDated: boolean;
}

/** Where conversations are, and what of them is to stay out of memory. */
export interface ConversationOptions {
  readonly places: readonly TranscriptPlace[];
  readonly forgotten: readonly Forgotten[];
  readonly onSkip: (skip: SkippedFile) => void;
}

/** Messages that a sweep looks at, all together and of one file (facts §7.5). */
const MOST_MESSAGES = 240;
const MOST_OF_A_FILE = 80;
const LEAST_OF_A_FILE = 12;
/** What is said last stands at the end of a file: no more of it is read than this, in bytes. */
const TAIL_BYTES = 8 * 1024 * 1024;
/** A claim is looked for so many lines around its place; transcripts are only ever appended to. */
const LINES_AROUND = 200;

/** The conversations of the agents that share a workspace. */
export class Conversations {
  private readonly options: ConversationOptions;
  private files: readonly (readonly TranscriptFile[])[] | undefined;

  constructor(options: ConversationOptions) {
    this.options = options;
  }

  /**
   * The last messages of the conversations of some time, those of the conversation held last first. The
   * same ones each time while nothing is said.
   *
   * @param from first day, `YYYY-MM-DD`
   * @param to last day, itself included
   */
  *messages(from: string, to: string, dayOf: (ms: number) => string): Generator<Message> {
    const recent = this.scan()
      // What was last written before says nothing of these days.
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

  /** What is said around a place; undefined when there is no such conversation any more. */
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

  /** Transcripts by their displayed path: of several agents each may call a file its own. */
  private scan(): readonly (readonly TranscriptFile[])[] {
    if (this.files !== undefined) return this.files;
    const byPath = new Map<string, TranscriptFile[]>();
    for (const place of this.options.places) {
      const { files, skipped } = scanTranscripts({ places: [place] });
      for (const skip of skipped) this.options.onSkip(skip);
      for (const file of files) byPath.set(file.path, [...(byPath.get(file.path) ?? []), file]);
    }
    this.files = [...byPath.values()];
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
      const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
      descriptor = openSync(file.absolutePath, flags);
      const { size } = fstatSync(descriptor);
      const found: FoundTurn[] = [];
      let state = initialState(file.place);
      // Its beginning says whose it is, and whether it is a conversation at all.
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
