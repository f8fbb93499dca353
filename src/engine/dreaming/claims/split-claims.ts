import { type Block, splitBlocks } from '../../memory/chunking/blocks.js';
import { withoutOwnWriting } from '../../memory/sources/own-writing.js';
import { joinedLines, textLines } from '../../memory/sources/text-lines.js';
import type { LineRange } from '../../memory/types.js';

/** One statement of a note: what is recalled, scored and promoted. Line ranges are 1-based, inclusive. */
export interface Claim extends LineRange {
  /** On one line, without the mark of its list item. */
  readonly text: string;
  /** Titles of the headings it stands under, outermost first. */
  readonly headingPath: readonly string[];
}

/** Longer prose is cut between sentences (facts §7.5: pieces of 8 to 280 characters). */
export const MOST_CLAIM_CHARACTERS = 280;

const LIST_MARK = /^\s*(?:[-*+]|\d{1,9}[.)])[ \t]+/u;
const QUOTE_MARK = /^\s{0,3}>\s?/gmu;
/** For programs. */
const COMMENT = /<!--[\s\S]*?(?:-->|$)/gu;

/**
 * The statements of a Markdown text: list items, and prose of at most 280 characters. Headings, code,
 * tables and front matter are none.
 *
 * @param firstLine number of the text's first line in its document, 1-based
 */
export function splitClaims(text: string, firstLine = 1): Claim[] {
  const lines = textLines(withoutOwnWriting(text).replaceAll(COMMENT, emptied));
  const claims: Claim[] = [];
  let headings: readonly Block[] = [];
  for (const block of splitBlocks(lines)) {
    if (block.kind === 'heading') {
      headings = [...headings.filter((above) => levelOf(above) < levelOf(block)), block];
      continue;
    }
    if (block.kind !== 'list-item' && block.kind !== 'prose') continue;
    const headingPath = headings.map(({ title }) => title ?? '').filter((title) => title !== '');
    const raw = joinedLines(lines, block.start, block.end);
    for (const piece of piecesOf(raw)) {
      claims.push({
        text: piece.text,
        headingPath,
        startLine: firstLine + block.start + piece.start,
        endLine: firstLine + block.start + piece.end,
      });
    }
  }
  return claims;
}

function levelOf({ level }: Block): number {
  return level ?? 1;
}

/** Its lines stay, so that numbers keep their meaning. */
function emptied(part: string): string {
  return part.replaceAll(/[^\n]+/gu, '');
}

interface Piece extends Pick<Claim, 'text'> {
  /** Lines from the block's first, 0-based, both included. */
  readonly start: number;
  readonly end: number;
}

const SENTENCE_END = /[.!?…]["'”’)\]]*\s+(?=[\p{Lu}\p{N}"'“‘([])|[。！？]/gu;

function piecesOf(raw: string): Piece[] {
  const unmarked = raw.replace(QUOTE_MARK, '').replace(LIST_MARK, '');
  const whole = plainLine(unmarked);
  if (whole === '') return [];
  if (whole.length <= MOST_CLAIM_CHARACTERS) {
    return [{ text: whole, start: 0, end: lineCount(raw) }];
  }
  return joinSentences(raw);
}

/** Sentences put together as long as they stay a claim's length. */
function joinSentences(raw: string): Piece[] {
  const ends = [...raw.matchAll(SENTENCE_END)].map(({ 0: mark, index }) => index + mark.length);
  const pieces: Piece[] = [];
  let from = 0;
  let to = 0;
  for (const end of [...ends, raw.length]) {
    if (to > from && plainLine(raw.slice(from, end)).length > MOST_CLAIM_CHARACTERS) {
      pieces.push(pieceOf(raw, from, to));
      from = to;
    }
    to = end;
  }
  pieces.push(pieceOf(raw, from, to));
  return pieces.filter(({ text }) => text !== '');
}

function pieceOf(raw: string, from: number, to: number): Piece {
  const part = raw.slice(from, to);
  const start = lineCount(raw.slice(0, from));
  return {
    text: plainLine(part.replace(QUOTE_MARK, '').replace(LIST_MARK, '')),
    start,
    end: start + lineCount(part.trimEnd()),
  };
}

/** Line ends in a text. */
function lineCount(text: string): number {
  return text.split('\n').length - 1;
}

function plainLine(text: string): string {
  return text.replaceAll(/\s+/gu, ' ').trim();
}
