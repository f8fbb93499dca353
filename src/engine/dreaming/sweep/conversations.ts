import {
  type Claim,
  type SpokenText,
  splitClaims,
  turnClaims,
  turnParts,
} from '../../memory/chunking/split-claims.js';
import type { Forgotten } from '../../memory/forgotten/index.js';
import type { LineRange, SkippedFile } from '../../memory/index.js';
import {
  scanTranscripts,
  skipOf,
  type TranscriptFile,
  type TranscriptPlace,
} from '../../memory/sources/index.js';
import { turnsOf, type WantedTurns } from '../../memory/sources/transcripts/read-conversation.js';
import { letOthersRun } from '../../support/async.js';
import { speaker } from '../../support/format.js';
import { groupBy } from '../../support/lists.js';
import { oneLine } from '../../support/text.js';
import type { ClaimPlace } from '../scoring/recall-entry.js';

/** One message of a conversation. */
export interface Message extends SpokenTurn {
  /** `sessions/main/….jsonl`. */
  readonly path: string;
  /** Time of the message in milliseconds since the epoch, or of its file if the message has no time. */
  readonly atMs: number;
  readonly isDated: boolean;
}

/** Two days (`YYYY-MM-DD`, inclusive), and the day of any moment. */
export interface DayRange {
  readonly from: string;
  readonly to: string;
  readonly dayOf: (ms: number) => string;
}

interface ConversationOptions {
  readonly places: readonly TranscriptPlace[];
  readonly forgotten: Forgotten;
  readonly onSkip: (skip: SkippedFile) => void;
}

/** Messages a sweep reads, in total and from one file (facts §7.5). */
const MOST_MESSAGES = 240;
const MOST_OF_A_FILE = 80;
const LEAST_OF_A_FILE = 12;
/** The latest messages are at the end of a file; only this many bytes are read. */
const TAIL_BYTES = 8 * 1024 * 1024;
const LATEST: WantedTurns = { isWanted: (_line, offset, size) => offset >= size - TAIL_BYTES };
/** A claim is searched for this many lines around its place; transcripts are append-only. */
const LINES_AROUND = 200;

/** The conversations of the agents sharing a workspace. */
export class Conversations {
  private readonly options: ConversationOptions;
  private files: ReadonlyMap<string, readonly TranscriptFile[]> | undefined;

  constructor(options: ConversationOptions) {
    this.options = options;
  }

  /**
   * The latest messages between two days, starting with the most recent conversation. Deterministic as long as nothing
   * is added. Other work goes on between two files, which are megabytes each.
   *
   * @throws the signal's reason
   */
  async messages({ from, to, dayOf }: DayRange, signal: AbortSignal): Promise<readonly Message[]> {
    const recent = [...this.scan()]
      .map(([path, files]) => ({ path, files, changedMs: files[0]?.mtimeMs ?? 0 }))
      // A file not modified since `from` has no messages from these days.
      .filter(({ changedMs }) => dayOf(changedMs) >= from)
      .sort((a, b) => b.changedMs - a.changedMs || (a.path < b.path ? -1 : 1));
    const share = Math.ceil(MOST_MESSAGES / Math.max(1, recent.length));
    const mostOfAFile = Math.min(MOST_OF_A_FILE, Math.max(LEAST_OF_A_FILE, share));
    const latest: Message[] = [];
    for (const { files } of recent) {
      const left = MOST_MESSAGES - latest.length;
      if (left === 0) break;
      await letOthersRun(signal);
      const messages = this.messagesOf(files, LATEST)
        .filter(({ atMs }) => dayOf(atMs) >= from && dayOf(atMs) <= to)
        .slice(-Math.min(left, mostOfAFile));
      latest.push(...messages);
    }
    return latest;
  }

  /** The messages around a place; undefined if the conversation no longer exists. */
  read({ path, startLine, endLine }: Omit<ClaimPlace, 'source'>): SourceText | undefined {
    const files = this.scan().get(path);
    if (files === undefined) return undefined;
    const range = {
      startLine: Math.max(1, startLine - LINES_AROUND),
      endLine: endLine + LINES_AROUND,
    };
    const { startLine: first, endLine: lastLine } = range;
    const wanted = { isWanted: (line: number) => line >= first, lastLine };
    return conversationText(this.messagesOf(files, wanted), range);
  }

  /** Transcripts grouped by displayed path, which several agents may share. */
  private scan(): ReadonlyMap<string, readonly TranscriptFile[]> {
    if (this.files !== undefined) return this.files;
    const all = this.options.places.flatMap((place) => {
      const { files, skipped } = scanTranscripts({ places: [place] });
      for (const skip of skipped) this.options.onSkip(skip);
      return files;
    });
    this.files = groupBy(all, ({ path }) => path);
    return this.files;
  }

  private messagesOf(files: readonly TranscriptFile[], wanted: WantedTurns): readonly Message[] {
    for (const file of files) {
      const messages = this.messagesIn(file, wanted);
      if (messages.length > 0) return messages;
    }
    return [];
  }

  private messagesIn(file: TranscriptFile, wanted: WantedTurns): readonly Message[] {
    const { path, mtimeMs } = file;
    try {
      return [...turnsOf(file, wanted)].flatMap(({ role, at = '', line, text: spoken }) => {
        const text = this.options.forgotten.removeFrom(spoken);
        if (text === '') return [];
        const turnMs = Date.parse(at);
        const isDated = !Number.isNaN(turnMs);
        return [{ role, text, line, path, atMs: isDated ? turnMs : mtimeMs, isDated }];
      });
    } catch (error) {
      this.options.onSkip({ ...skipOf(file.absolutePath, error), path });
      return [];
    }
  }
}

/** The current text of a document. */
export interface SourceText {
  readonly claims: readonly Claim[];
  /** Readable lines, from `startLine` (1-based). */
  readonly lines: readonly string[];
  readonly startLine: number;
  /** Finds a verbatim quote that is not a claim: search splits long messages at other points. */
  findQuote(text: string): Claim | undefined;
}

export function noteText(text: string): SourceText {
  return {
    claims: splitClaims(text),
    lines: text.split(/\r?\n/u),
    startLine: 1,
    findQuote: () => undefined,
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
    const text = oneLine(turn.text);
    return `${speaker(turn.role)}: ${text}`;
  });
  return {
    claims: turns.flatMap(turnClaims),
    lines,
    startLine: range.startLine,
    findQuote: (text) => {
      const turn = turns.find((one) => turnParts(one.text).some((part) => part.includes(text)));
      if (turn === undefined) return undefined;
      return { text, headingPath: [], startLine: turn.line, endLine: turn.line };
    },
  };
}
