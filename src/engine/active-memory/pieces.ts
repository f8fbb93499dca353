import type { TextSpan } from '../memory/search/index.js';
import { harmlessLine } from './block.js';

/** A sentence or line of a note. */
export interface Piece {
  /** One line without Markdown marks. */
  readonly text: string;
  /** Stems of the question's words in it. */
  readonly words: ReadonlySet<string>;
  /** Number of its paragraph in the snippet. */
  readonly paragraph: number;
  /** The heading right above it, if that is in the snippet. */
  readonly heading: string | undefined;
}

/** Prefix length that identifies a word in most of its forms. */
const STEM = 6;

const SENTENCE = /[^.!?。！？\n]+(?:[.!?](?!\s|$)[^.!?。！？\n]*)*[.!?。！？]*/gu;
const HEADING = /^\s{0,3}#{1,6}\s/u;
const HAS_WORDS = /[\p{L}\p{N}]/u;
/** Markdown marks at the start of a line. */
const LINE_MARKS = /^\s*(?:(?:[-*+>]|#{1,6}|\d{1,3}[.)])\s+|\[[ xX]\]\s+|\|)+/u;
const EMPHASIS = /(\*\*|__|`)(?=\S)(.{0,300}?\S)\1/gu;
const LINK = /!?\[([^\]\n]{0,300})\]\([^)\n]{0,500}\)/gu;

/**
 * The sentences of a snippet, in order.
 *
 * @param highlights positions of the question's words in the snippet, ascending
 */
export function piecesOf(snippet: string, highlights: readonly TextSpan[]): readonly Piece[] {
  const pieces: Piece[] = [];
  let next = 0;
  let paragraph = 0;
  let before = 0;
  let heading: string | undefined;
  for (const { 0: raw, index } of snippet.matchAll(SENTENCE)) {
    const end = index + raw.length;
    const isHeading = HEADING.test(raw);
    if (isHeading || /\n\s*\n/u.test(snippet.slice(before, index))) paragraph += 1;
    before = end;
    const words = new Set<string>();
    for (; next < highlights.length; next++) {
      const span = highlights[next];
      if (span === undefined || span.start >= end) break;
      words.add(snippet.slice(span.start, span.end).toLowerCase().slice(0, STEM));
    }
    const text = withoutMarks(raw);
    // Headings are added later unless they match the question themselves.
    if (HAS_WORDS.test(text) && (!isHeading || words.size > 0)) {
      pieces.push({ text, words, paragraph, heading });
    }
    if (isHeading) {
      heading = text;
      paragraph += 1;
    }
  }
  return pieces;
}

/**
 * Weighs how much of the question a piece contains: words that are in every other sentence, such as names of
 * speakers, count less than rare ones.
 *
 * @param all the pieces of all results
 */
export function pieceWeights(all: readonly Piece[]): (piece: Piece) => number {
  const frequencies = new Map<string, number>();
  for (const { words } of all) {
    for (const word of words) frequencies.set(word, (frequencies.get(word) ?? 0) + 1);
  }
  const weightOf = (word: string): number =>
    Math.log(1 + all.length / (frequencies.get(word) ?? all.length));
  return ({ words }) => [...words].reduce((sum, word) => sum + weightOf(word), 0);
}

function withoutMarks(line: string): string {
  return harmlessLine(
    line.replace(LINE_MARKS, '').replaceAll(LINK, '$1').replaceAll(EMPHASIS, '$2'),
  );
}
