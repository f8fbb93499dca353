import type { Chunk } from '../types.js';
import type { ChunkingOptions } from './chunk-markdown.js';
import { ASCII_PER_TOKEN, cutAtTokens, estimateTokens } from './tokens.js';

/** Something that was said, with the line of the document that says it. */
export interface SpokenTurn<Mark> {
  readonly role: 'assistant' | 'user';
  readonly text: string;
  /** ISO 8601; undefined where it is not known. */
  readonly at: string | undefined;
  /** 1-based. */
  readonly line: number;
  /** Whatever the caller wants to find again: where the turn begins. */
  readonly mark: Mark;
}

/** A turn as it stands in a chunk. */
interface Unit<Mark> {
  readonly turn: SpokenTurn<Mark>;
  readonly lines: readonly string[];
  readonly tokens: number;
}

/** 800 characters of plain English to a line, so that a snippet can be chosen from a long message. */
const LINE_TOKENS = 200;

/**
 * Cuts a conversation into chunks, turn after turn. Turns stay whole while they fit; one that does not
 * is cut between its lines. What a chunk holds hangs on its first turn and what follows, and on nothing
 * before: cutting can go on at any chunk, with the same chunks as from the beginning.
 */
export class TurnChunker<Mark> {
  private readonly options: ChunkingOptions;
  /** Of the chunk to come: the end of the last one, and at least one turn more. */
  private held: readonly Unit<Mark>[] = [];

  constructor(options: ChunkingOptions) {
    this.options = options;
  }

  /** The first turn of the chunk to come; undefined where the next turn will begin it. */
  get first(): Mark | undefined {
    return this.held[0]?.turn.mark;
  }

  /** Takes the next turn in; gives the chunks that are complete now. */
  add(turn: SpokenTurn<Mark>): readonly Chunk[] {
    const unit = this.unitOf(turn);
    const budget = this.options.tokens;
    if (costOfAll(this.held) + unit.tokens <= budget) {
      this.held = [...this.held, unit];
      return [];
    }
    const complete = this.tail();
    if (unit.tokens > budget) {
      this.held = [];
      return [...complete, ...this.pieces(unit)];
    }
    const overlap = this.overlap();
    this.held = costOfAll(overlap) + unit.tokens > budget ? [unit] : [...overlap, unit];
    return complete;
  }

  /** The chunk to come as it would be if no turn followed. */
  tail(): readonly Chunk[] {
    return this.held.length === 0 ? [] : [chunkOf(this.held)];
  }

  /** The last turns held, while they fit the overlap; never all of them. */
  private overlap(): readonly Unit<Mark>[] {
    let start = this.held.length;
    for (let tokens = 0; start > 1; start--) {
      tokens += this.held[start - 1]?.tokens ?? 0;
      if (tokens > this.options.overlap) break;
    }
    return this.held.slice(start);
  }

  private unitOf(turn: SpokenTurn<Mark>): Unit<Mark> {
    const label = turn.role === 'user' ? 'User: ' : 'Assistant: ';
    const text = turn.text.replaceAll(/\s+/gu, ' ').trim();
    const width = Math.max(1, Math.min(LINE_TOKENS, this.options.tokens) - costOf(label));
    const lines: string[] = [];
    for (let start = 0; start < text.length; ) {
      const end = cutAtTokens(text, start, width);
      lines.push(`${label}${text.slice(start, end).trimEnd()}`);
      start = end;
    }
    return { turn, lines, tokens: lines.reduce((sum, line) => sum + costOf(line), 0) };
  }

  /** A turn that is over budget, in chunks of as many whole lines as fit. */
  private pieces(unit: Unit<Mark>): readonly Chunk[] {
    const chunks: Chunk[] = [];
    let lines: string[] = [];
    let tokens = 0;
    for (const line of unit.lines) {
      const cost = costOf(line);
      if (lines.length > 0 && tokens + cost > this.options.tokens) {
        chunks.push(chunkOf([{ ...unit, lines }]));
        lines = [];
        tokens = 0;
      }
      lines.push(line);
      tokens += cost;
    }
    if (lines.length > 0) chunks.push(chunkOf([{ ...unit, lines }]));
    return chunks;
  }
}

/** The line end counts as a character of its own. */
function costOf(line: string): number {
  return estimateTokens(line) + 1 / ASCII_PER_TOKEN;
}

function costOfAll(units: readonly Unit<unknown>[]): number {
  return units.reduce((sum, unit) => sum + unit.tokens, 0);
}

function chunkOf(units: readonly Unit<unknown>[]): Chunk {
  const lineNumbers = units.flatMap((unit) => unit.lines.map(() => unit.turn.line));
  const startLine = lineNumbers[0] ?? 1;
  const follows = lineNumbers.every((number, at) => number === startLine + at);
  const day = units[0]?.turn.at?.slice(0, 'YYYY-MM-DD'.length);
  return {
    startLine,
    endLine: lineNumbers.at(-1) ?? startLine,
    headingPath: day === undefined ? [] : [day],
    text: units.flatMap((unit) => unit.lines).join('\n'),
    ...(follows ? {} : { lineNumbers }),
  };
}
