/**
 * Fitting text into columns, measured as a terminal draws it (wide CJK, emoji, combining marks,
 * escape codes of no width). The fast path of a search uses LIGHT_MEASURE of wrap.ts instead.
 */
import stringWidth from 'fast-string-width';
import type { Measure } from './wrap.js';

const ELLIPSIS = '…';
const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Columns that a text takes; escape codes take none. */
export function textWidth(text: string): number {
  return stringWidth(text);
}

/** The characters of a text as people count them, with combining marks and emoji sequences kept whole. */
export function splitGraphemes(text: string): readonly string[] {
  return Array.from(graphemes.segment(text), (part) => part.segment);
}

/** As a terminal draws it, for lines that must fit exactly. */
export const EXACT_MEASURE: Measure = { split: splitGraphemes, width: textWidth };

/** The longest start of a text (without escape codes) that fits, without an ellipsis. */
export function takeColumns(text: string, columns: number): string {
  if (columns <= 0) return '';
  let taken = '';
  let width = 0;
  for (const { segment } of graphemes.segment(text)) {
    width += stringWidth(segment);
    if (width > columns) break;
    taken += segment;
  }
  return taken;
}

/** A text (without escape codes), cut at the end with `…` if it does not fit. */
export function fitEnd(text: string, columns: number): string {
  // A line of megabytes is not measured whole to show its first columns.
  const head = text.length > columns * 16 ? text.slice(0, columns * 16) : text;
  if (head === text && stringWidth(text) <= columns) return text;
  return columns <= 0 ? '' : `${takeColumns(head, columns - 1)}${ELLIPSIS}`;
}

/** A path, cut in the middle with `…` if it does not fit. The file name matters most, so the tail gets more room. */
export function fitMiddle(path: string, columns: number): string {
  if (stringWidth(path) <= columns) return path;
  if (columns <= 0) return '';
  if (columns === 1) return ELLIPSIS;
  const headColumns = Math.floor((columns - 1) / 3);
  const head = takeColumns(path, headColumns);
  const tail = takeLastColumns(path, columns - 1 - stringWidth(head));
  return `${head}${ELLIPSIS}${tail}`;
}

/** A text padded with blanks at the end. */
export function padEnd(text: string, columns: number): string {
  return text + blanks(columns - stringWidth(text));
}

/** A text padded with blanks at the start. */
export function padStart(text: string, columns: number): string {
  return blanks(columns - stringWidth(text)) + text;
}

/** Two texts at both ends of a line. If they do not fit, the right one is dropped. */
export function spread(left: string, right: string, columns: number): string {
  const gap = columns - stringWidth(left) - stringWidth(right);
  return right === '' || gap < 2 ? left : `${left}${blanks(gap)}${right}`;
}

/** The longest end of a text (without escape codes) that fits, without an ellipsis. */
export function takeLastColumns(text: string, columns: number): string {
  const parts = splitGraphemes(text);
  let width = 0;
  let from = parts.length;
  while (from > 0) {
    width += stringWidth(parts[from - 1] ?? '');
    if (width > columns) break;
    from -= 1;
  }
  return parts.slice(from).join('');
}

function blanks(count: number): string {
  return ' '.repeat(Math.max(0, count));
}
