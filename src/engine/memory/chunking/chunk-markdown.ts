import { pushAll } from '../../support/lists.js';
import { joinedLines, lineAt, lineLength, type TextLines } from '../sources/index.js';
import type { Chunk } from '../types.js';
import { type Block, enterHeading, type Heading, titlesOf } from './blocks.js';
import { ASCII_PER_TOKEN, estimateLine, piecesWithin } from './tokens.js';

/** Chunk size in estimated tokens (see estimateTokens). */
export interface ChunkingOptions {
  /** Target and upper bound of a chunk; only a single long line is split to keep it. */
  readonly tokens: number;
  /** How much of the previous chunk's end is repeated; less than `tokens`. */
  readonly overlap: number;
}

/**
 * Part of an index's identity. Increase it when a change here produces different chunks for the same text, so
 * that old indexes are rebuilt.
 */
export const CHUNKER_VERSION = 6;

/**
 * A heading starts a new chunk when the current one is fuller than this share: small sections stay together,
 * and upper levels are separated sooner.
 */
const FULL_ENOUGH = { upper: 0.25, lower: 0.5 } as const;
const UPPER_LEVELS = 3;
/** The level of a unit that does not start with a heading. */
const NO_HEADING = 7;

/** Lines that stay together if they fit: a block with the headings directly above it. */
interface Unit {
  readonly start: number;
  readonly end: number;
  readonly tokens: number;
  readonly headingPath: readonly string[];
  /** Level of the topmost heading that the unit starts with, else {@link NO_HEADING}. */
  readonly level: number;
}

/**
 * Splits a text in any format into chunks of whole lines, from its blocks, which stay whole if they fit: code fences,
 * tables, list items, paragraphs and front matter. A heading stays with what follows it. No chunk is blank, because
 * providers refuse a request with an empty text.
 */
export function chunkBlocks(
  lines: TextLines,
  blocks: readonly Block[],
  options: ChunkingOptions,
): Chunk[] {
  const units = unitsOf(lines, blocks, options.tokens);
  const chunks: Chunk[] = [];
  let first = 0;
  while (first < units.length) {
    const end = endOfChunk(units, first, options.tokens);
    const head = units[first];
    const tail = units[end - 1];
    if (head === undefined || tail === undefined) break;
    if (head.tokens > options.tokens) {
      pushAll(chunks, cutLongLine(lines, head, options));
    } else {
      // Front matter describes the note, so the chunk is about what its first heading is about.
      const isFrontMatter = blocks[0]?.kind === 'front-matter' && head.end === blocks[0].end;
      const named = isFrontMatter && end > first + 1 ? units[first + 1] : head;
      chunks.push({
        startLine: head.start + 1,
        endLine: tail.end,
        headingPath: named?.headingPath ?? [],
        text: joinedLines(lines, head.start, tail.end),
      });
    }
    first = startOfNext(units, first, end, options);
  }
  return chunks.filter(({ text }) => text.trim() !== '');
}

/** The index after the last unit of the chunk that starts at `first`. */
function endOfChunk(units: readonly Unit[], first: number, budget: number): number {
  let tokens = units[first]?.tokens ?? 0;
  let end = first + 1;
  for (; end < units.length; end++) {
    const unit = units[end];
    if (unit === undefined || tokens + unit.tokens > budget) break;
    if (startsChunk(unit, tokens / budget)) break;
    tokens += unit.tokens;
  }
  return end;
}

function startsChunk(unit: Unit, fullness: number): boolean {
  if (unit.level === NO_HEADING) return false;
  return fullness > (unit.level <= UPPER_LEVELS ? FULL_ENOUGH.upper : FULL_ENOUGH.lower);
}

/**
 * Start of the next chunk: overlapping the previous one, unless a heading starts it. The overlap leaves room for the
 * first new unit, because a chunk of nothing else would repeat the previous one.
 */
function startOfNext(
  units: readonly Unit[],
  first: number,
  end: number,
  options: ChunkingOptions,
): number {
  const next = units[end];
  if (next === undefined || next.level < NO_HEADING) return end;
  const overlap = Math.min(options.overlap, options.tokens - next.tokens);
  let start = end;
  let tokens = 0;
  while (start > first + 1) {
    const unit = units[start - 1];
    if (unit === undefined || tokens + unit.tokens > overlap) break;
    tokens += unit.tokens;
    start -= 1;
    if (unit.level < NO_HEADING) break;
  }
  return start;
}

function unitsOf(lines: TextLines, blocks: readonly Block[], budget: number): Unit[] {
  const units: Unit[] = [];
  const trail: Heading[] = [];
  let headingPath: readonly string[] = [];
  let pending: { readonly start: number; level: number } | undefined;
  for (const [index, block] of blocks.entries()) {
    if (block.kind === 'heading') {
      const level = block.level ?? 1;
      enterHeading(trail, block);
      pending ??= { start: block.start, level };
      pending.level = Math.min(pending.level, level);
      headingPath = titlesOf(trail);
      if (index < blocks.length - 1) continue;
    }
    const start = pending?.start ?? block.start;
    const level = pending?.level ?? NO_HEADING;
    pending = undefined;
    addFitting(units, lines, { start, end: block.end, headingPath, level }, budget);
  }
  return units;
}

/** Adds one unit if it fits the budget, else one per line. */
function addFitting(
  units: Unit[],
  lines: TextLines,
  block: Omit<Unit, 'tokens'>,
  budget: number,
): void {
  let tokens = 0;
  for (let at = block.start; at < block.end; at++) tokens += lineCost(lines, at);
  const { headingPath } = block;
  if (tokens <= budget) {
    units.push({ start: block.start, end: block.end, tokens, headingPath, level: block.level });
    return;
  }
  for (let start = block.start; start < block.end; start++) {
    const level = start === block.start ? block.level : NO_HEADING;
    units.push({ start, end: start + 1, tokens: lineCost(lines, start), headingPath, level });
  }
}

/** As {@link estimateLine}, without making a string of a line where its length is enough. */
function lineCost(lines: TextLines, at: number): number {
  return lines.isAscii
    ? (lineLength(lines, at) + 1) / ASCII_PER_TOKEN
    : estimateLine(lineAt(lines, at));
}

/** Pieces of a single line over budget; all have that line's number. */
function cutLongLine(lines: TextLines, unit: Unit, options: ChunkingOptions): Chunk[] {
  const { headingPath } = unit;
  const at = unit.start + 1;
  return Array.from(piecesWithin(lineAt(lines, unit.start), options.tokens), (text) => {
    return { startLine: at, endLine: at, headingPath, text };
  });
}
