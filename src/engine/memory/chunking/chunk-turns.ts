import { speaker } from '../../support/format.js';
import { oneLine } from '../../support/text.js';
import type { NumberedTurn } from '../sources/index.js';
import type { Chunk } from '../types.js';
import type { ChunkingOptions } from './chunk-markdown.js';
import { estimateLine, piecesWithin } from './tokens.js';

interface MarkedTurn<Mark> extends NumberedTurn {
  /** The caller's own marker of where the turn starts. */
  readonly mark: Mark;
}

interface Unit<Mark> {
  readonly turn: MarkedTurn<Mark>;
  readonly lines: readonly string[];
  readonly tokens: number;
}

/** 800 characters of English per line, so that a snippet can be chosen from a long message. */
const LINE_TOKENS = 200;

/**
 * Splits a conversation into chunks. Turns stay whole if they fit; longer ones are split between lines. A chunk depends
 * only on its first turn and what follows, so splitting can resume at any chunk with the same result.
 */
export class TurnChunker<Mark> {
  private readonly options: ChunkingOptions;
  /** The next chunk so far: the overlap, and at least one new turn. */
  private pending: readonly Unit<Mark>[] = [];

  constructor(options: ChunkingOptions) {
    this.options = options;
  }

  /** The first turn of the next chunk, if it has started. */
  get first(): Mark | undefined {
    return this.pending[0]?.turn.mark;
  }

  /** Adds a turn; returns the chunks that are complete. */
  add(turn: MarkedTurn<Mark>): readonly Chunk[] {
    const unit = this.unitOf(turn);
    if (unit.lines.length === 0) return [];
    const budget = this.options.tokens;
    if (costOfAll(this.pending) + unit.tokens <= budget) {
      this.pending = [...this.pending, unit];
      return [];
    }
    const complete = this.tail();
    if (unit.tokens > budget) {
      this.pending = [];
      return [...complete, ...this.splitTurn(unit)];
    }
    const overlap = this.overlap();
    this.pending = costOfAll(overlap) + unit.tokens > budget ? [unit] : [...overlap, unit];
    return complete;
  }

  /** The next chunk if no turn followed. */
  tail(): readonly Chunk[] {
    return this.pending.length === 0 ? [] : [chunkOf(this.pending)];
  }

  /** The last turns that fit the overlap; never all of them. */
  private overlap(): readonly Unit<Mark>[] {
    let start = this.pending.length;
    for (let tokens = 0; start > 1; start--) {
      tokens += this.pending[start - 1]?.tokens ?? 0;
      if (tokens > this.options.overlap) break;
    }
    return this.pending.slice(start);
  }

  private unitOf(turn: MarkedTurn<Mark>): Unit<Mark> {
    const label = `${speaker(turn.role)}: `;
    const text = oneLine(turn.text);
    const width = Math.max(1, Math.min(LINE_TOKENS, this.options.tokens) - estimateLine(label));
    const lines = Array.from(piecesWithin(text, width), (piece) => `${label}${piece.trimEnd()}`);
    return { turn, lines, tokens: lines.reduce((sum, line) => sum + estimateLine(line), 0) };
  }

  /** Splits a turn over budget into chunks of whole lines. */
  private splitTurn(unit: Unit<Mark>): readonly Chunk[] {
    const chunks: Chunk[] = [];
    let lines: string[] = [];
    let tokens = 0;
    for (const line of unit.lines) {
      const cost = estimateLine(line);
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

function costOfAll(units: readonly Unit<unknown>[]): number {
  return units.reduce((sum, unit) => sum + unit.tokens, 0);
}

function chunkOf(units: readonly Unit<unknown>[]): Chunk {
  const lineNumbers = units.flatMap((unit) => unit.lines.map(() => unit.turn.line));
  const startLine = lineNumbers[0] ?? 1;
  const isConsecutive = lineNumbers.every((number, at) => number === startLine + at);
  const day = units[0]?.turn.at?.slice(0, 'YYYY-MM-DD'.length);
  return {
    startLine,
    endLine: lineNumbers.at(-1) ?? startLine,
    headingPath: day === undefined ? [] : [day],
    text: units.flatMap((unit) => unit.lines).join('\n'),
    ...(isConsecutive ? {} : { lineNumbers }),
  };
}
