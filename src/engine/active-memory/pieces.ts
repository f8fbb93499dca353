import type { TextSpan } from '../memory/search/types.js';
import { harmlessLine } from './block.js';

/** A sentence or a line of a note. */
export interface Piece {
  /** One line, without the marks of Markdown. */
  readonly text: string;
  /** The different words of the question that it holds, by their beginnings: forms of one are one. */
  readonly words: ReadonlySet<string>;
}

/** So much of a word tells it from others whatever its form. */
const STEM = 6;

const SENTENCE = /[^.!?。！？\n]+(?:[.!?](?!\s|$)[^.!?。！？\n]*)*[.!?。！？]*/gu;
/** What Markdown puts before the text of a line. */
const LINE_MARKS = /^\s*(?:(?:[-*+>]|#{1,6}|\d{1,3}[.)])\s+|\[[ xX]\]\s+|\|)+/u;
const EMPHASIS = /(\*\*|__|`)(?=\S)(.*?\S)\1/gu;
const LINK = /!?\[([^\]\n]*)\]\([^)\n]*\)/gu;

/** What the forms of a word have in common, about. */
export function wordStem(word: string): string {
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
  for (const { 0: raw, index } of snippet.matchAll(SENTENCE)) {
    const end = index + raw.length;
    const words = new Set<string>();
    for (; next < highlights.length; next++) {
      const span = highlights[next];
      if (span === undefined || span.start >= end) break;
      words.add(wordStem(snippet.slice(span.start, span.end)));
    }
    const text = withoutMarks(raw);
    if (/[\p{L}\p{N}]/u.test(text)) pieces.push({ text, words });
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
