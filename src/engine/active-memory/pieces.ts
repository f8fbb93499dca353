import type { TextSpan } from '../memory/search/types.js';
import { harmlessLine } from './block.js';

/** A sentence or a line of a note. */
export interface Piece {
  /** One line, without the marks of Markdown. */
  readonly text: string;
  /** The different words of the question that it holds, by their beginnings: forms of one are one. */
  readonly words: ReadonlySet<string>;
  /** Counted up at blank lines and headings: what stands in one paragraph belongs together. */
  readonly paragraph: number;
  /** The heading right above it, where that stands in the snippet. */
  readonly heading: string | undefined;
}

/** So much of a word tells it from others whatever its form. */
const STEM = 6;

const SENTENCE = /[^.!?。！？\n]+(?:[.!?](?!\s|$)[^.!?。！？\n]*)*[.!?。！？]*/gu;
const HEADING = /^\s{0,3}#{1,6}\s/u;
const HAS_WORDS = /[\p{L}\p{N}]/u;
/** What Markdown puts before the text of a line. */
const LINE_MARKS = /^\s*(?:(?:[-*+>]|#{1,6}|\d{1,3}[.)])\s+|\[[ xX]\]\s+|\|)+/u;
const EMPHASIS = /(\*\*|__|`)(?=\S)(.*?\S)\1/gu;
const LINK = /!?\[([^\]\n]*)\]\([^)\n]*\)/gu;

/** What the forms of a word have in common, about. */
function wordStem(word: string): string {
  return word.toLowerCase().slice(0, STEM);
}

/**
 * The sentences of a snippet in their order.
 *
 * @param highlights where words of the question stand in the snippet, ascending
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
      words.add(wordStem(snippet.slice(span.start, span.end)));
    }
    const text = withoutMarks(raw);
    // What the passage stands under is known apart from it.
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
 * Tells how much of the question a piece holds: words that stand in every other sentence, as the names
 * of those who talk, say less than rare ones.
 *
 * @param all the pieces of everything that was found
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
