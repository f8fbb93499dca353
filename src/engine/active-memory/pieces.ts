import type { TextSpan } from '../memory/search/types.js';
import { harmlessLine } from './block.js';

/** A sentence or a line of a note. */
export interface Piece {
  /** One line, without the marks of Markdown. */
  readonly text: string;
  /** How many different words of the question it holds. */
  readonly hits: number;
}

const SENTENCE = /[^.!?。！？\n]+(?:[.!?](?!\s|$)[^.!?。！？\n]*)*[.!?。！？]*/gu;
/** What Markdown puts before the text of a line. */
const LINE_MARKS = /^\s*(?:(?:[-*+>]|#{1,6}|\d{1,3}[.)])\s+|\[[ xX]\]\s+|\|)+/u;
const EMPHASIS = /(\*\*|__|`)(?=\S)(.*?\S)\1/gu;
const LINK = /!?\[([^\]\n]*)\]\([^)\n]*\)/gu;

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
      words.add(snippet.slice(span.start, span.end).toLowerCase());
    }
    const text = withoutMarks(raw);
    if (/[\p{L}\p{N}]/u.test(text)) pieces.push({ text, hits: words.size });
  }
  return pieces;
}

function withoutMarks(line: string): string {
  return harmlessLine(
    line.replace(LINE_MARKS, '').replaceAll(LINK, '$1').replaceAll(EMPHASIS, '$2'),
  );
}
