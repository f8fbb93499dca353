/**
 * Fitting text into columns, measured as a terminal draws it (wide CJK, emoji, combining marks,
 * escape codes of no width). Loads string-width, whose tables cost start-up time: what runs on the
 * fast path of a search uses LIGHT_MEASURE of wrap.ts instead.
 */
import stringWidth from 'string-width';
import type { Measure } from './wrap.js';

const ELLIPSIS = '…';
const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Columns that a text takes on the screen; escape codes take none. */
export function textWidth(text: string): number {
  return stringWidth(text);
}

/** The characters of a text as a person counts them, combined marks and emoji sequences whole. */
export function splitGraphemes(text: string): readonly string[] {
  return Array.from(graphemes.segment(text), (part) => part.segment);
}

/** What a terminal draws, for breaking lines that must fit to the column. */
export const EXACT_MEASURE: Measure = { split: splitGraphemes, width: textWidth };

/** The longest head of a text without escape codes that fits; no mark where it was cut. */
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

/** A text without escape codes, cut at its end with `…` where it does not fit. */
export function fitEnd(text: string, columns: number): string {
  // A line of megabytes is not measured whole to show its first few columns.
  const head = text.length > columns * 16 ? text.slice(0, columns * 16) : text;
  if (head === text && stringWidth(text) <= columns) return text;
  return columns <= 0 ? '' : `${takeColumns(head, columns - 1)}${ELLIPSIS}`;
}

/**
 * A path without escape codes, cut in its middle with `…` where it does not fit: where it starts
 * and what the file is called matter most, so that the tail gets the larger half.
 */
export function fitMiddle(path: string, columns: number): string {
  if (stringWidth(path) <= columns) return path;
  if (columns <= 0) return '';
  if (columns === 1) return ELLIPSIS;
  const headColumns = Math.floor((columns - 1) / 3);
  const head = takeColumns(path, headColumns);
  const tail = takeLastColumns(path, columns - 1 - stringWidth(head));
  return `${head}${ELLIPSIS}${tail}`;
}

/** A text filled up with blanks behind it; one that is too wide stays as it is. */
export function padEnd(text: string, columns: number): string {
  return text + blanks(columns - stringWidth(text));
}

/** A text filled up with blanks before it; one that is too wide stays as it is. */
export function padStart(text: string, columns: number): string {
  return blanks(columns - stringWidth(text)) + text;
}

/**
 * Two texts at both ends of a line. Where they do not fit with a gap between them the right one
 * goes: the left one says what the line is.
 */
export function spread(left: string, right: string, columns: number): string {
  const gap = columns - stringWidth(left) - stringWidth(right);
  return right === '' || gap < 2 ? left : `${left}${blanks(gap)}${right}`;
}

/** The longest tail of a text without escape codes that fits; no mark where it was cut. */
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
