/**
 * Fitting text into columns, measured as a terminal draws it (wide CJK, emoji, combining marks,
 * escape codes of no width).
 */
import stringWidth from 'fast-string-width';
import type { TextSpan } from '../engine/memory/search/index.js';
import { safeLine } from './safe-text.js';
import type { Paint } from './style.js';

const ELLIPSIS = '…';

/**
 * Text of one column per character: Latin letters, the punctuation and arrows of prose, and what frames and plots are
 * drawn with. Most text is, and the first use of Intl.Segmenter alone takes 5 ms, which a search does not have.
 */
const PLAIN =
  /^[\x20-\x7E\xA1-\xAC\xAE-\u02FF\u2010-\u2027\u2030-\u205E\u20A0-\u20BF\u2190-\u2193\u23CE\u2500-\u25FC\u2713\u2717\u276F\u2800-\u28FF]*$/u;

/** Columns that a text takes; escape codes take none. */
export function textWidth(text: string): number {
  return PLAIN.test(text) ? text.length : stringWidth(text);
}

/** The characters of a text as people count them, with combining marks and emoji sequences kept whole. */
export function splitGraphemes(text: string): readonly string[] {
  // An escape code is never part of a longer character.
  if (PLAIN.test(text.replaceAll('\u001B', ''))) return text.split('');
  const segmenter = new Intl.Segmenter();
  const characters: string[] = [];
  for (let from = 0; from < text.length; ) {
    // A cut through a surrogate pair would also separate it from what is before it.
    const isCutPair = /[\uD800-\uDBFF]/.test(text.charAt(from + PART_UNITS - 1));
    const part = text.slice(from, from + PART_UNITS - (isCutPair ? 1 : 0));
    const segments = Array.from(segmenter.segment(part), ({ segment }) => segment);
    // The last one may continue in the next part.
    const last =
      from + part.length < text.length && segments.length > 1 ? segments.pop() : undefined;
    for (const segment of segments) characters.push(segment);
    from += part.length - (last?.length ?? 0);
  }
  return characters;
}

/** UTF-16 units segmented at once: V8 copies the whole text for each of its characters. */
const PART_UNITS = 512;

/** The longest start of a text (without escape codes) that fits, without an ellipsis. */
export function takeColumns(text: string, columns: number): string {
  if (columns <= 0) return '';
  let taken = '';
  let width = 0;
  for (const character of splitGraphemes(text)) {
    width += textWidth(character);
    if (width > columns) break;
    taken += character;
  }
  return taken;
}

/** A text (without escape codes), cut at the end with `…` if it does not fit. */
export function fitEnd(text: string, columns: number): string {
  // A line of megabytes is not measured whole to show its first columns.
  const head = text.length > columns * 16 ? text.slice(0, columns * 16) : text;
  if (head === text && textWidth(text) <= columns) return text;
  return columns <= 0 ? '' : `${takeColumns(head, columns - 1)}${ELLIPSIS}`;
}

/** A path, cut in the middle with `…` if it does not fit. The file name matters most, so the tail gets more room. */
export function fitMiddle(path: string, columns: number): string {
  if (textWidth(path) <= columns) return path;
  if (columns <= 0) return '';
  if (columns === 1) return ELLIPSIS;
  const headColumns = Math.floor((columns - 1) / 3);
  const head = takeColumns(path, headColumns);
  const tail = takeLastColumns(path, columns - 1 - textWidth(head));
  return `${head}${ELLIPSIS}${tail}`;
}

/** A line broken into pieces that fit behind an indent; left whole without a width (a pipe). */
export function wrapText(line: string, columns: number | undefined, indent = 0): readonly string[] {
  if (columns === undefined) return [line];
  return wrapSpans(line, columns - indent).map(({ start, end }) =>
    line.slice(start, end).trimEnd(),
  );
}

/** An untrusted text as {@link wrapText} breaks it. */
export function wrapSafe(text: string, columns: number | undefined, indent = 0): readonly string[] {
  return wrapText(safeLine(text), columns, indent);
}

/** An untrusted text behind a label, broken into pieces that fit. Later pieces have blanks in place of the label. */
export function wrapBehind(
  label: string,
  text: string,
  columns: number | undefined,
  paint: Paint = (piece) => piece,
): readonly string[] {
  const indent = textWidth(label);
  return wrapSafe(text, columns, indent).map(
    (piece, at) => (at === 0 ? label : blanks(indent)) + paint(piece),
  );
}

/**
 * Where to break a line so that every piece fits: at blanks, which then belong to no piece, or within a word that is
 * too wide by itself. Chinese and Japanese have no blanks, and break between any two characters. Leading blanks are kept.
 *
 * @returns spans of the line in UTF-16 units; one empty span for an empty line
 */
export function wrapSpans(line: string, columns: number): readonly TextSpan[] {
  const room = Math.max(1, columns);
  const isPlain = PLAIN.test(line);
  if (isPlain && line.length <= room) return [{ start: 0, end: line.length }];
  const widthOf = isPlain ? () => 1 : textWidth;
  const spans: TextSpan[] = [];
  let start = 0;
  let width = 0;
  let at = 0;
  /** Where the line can be broken, at the latest. */
  let gap: { readonly at: number; readonly next: number; readonly widthAfter: number } | undefined;
  let previous = '';
  for (const character of splitGraphemes(line)) {
    const characterWidth = widthOf(character);
    if (UNSPACED.test(previous + character)) gap = { at, next: at, widthAfter: width };
    previous = character;
    if (width + characterWidth > room && at > start) {
      if (character === ' ') {
        spans.push({ start, end: at });
        start = at + 1;
        width = 0;
        gap = undefined;
        at += character.length;
        continue;
      }
      const { at: end, next, widthAfter } = gap ?? { at, next: at, widthAfter: width };
      spans.push({ start, end });
      start = next;
      width -= widthAfter;
      gap = undefined;
    }
    if (character === ' ' && line.slice(start, at).trim() !== '') {
      gap = { at, next: at + 1, widthAfter: width + characterWidth };
    }
    width += characterWidth;
    at += character.length;
  }
  if (start < line.length || spans.length === 0) spans.push({ start, end: line.length });
  return spans;
}

/**
 * Two characters of Chinese or Japanese, which are written without blanks between words. Ranges, since looking up
 * scripts would take a part of every start.
 */
const UNSPACED = /^[\u3000-\u30FF\u3400-\u9FFF\uF900-\uFAFF\uFF00-\uFFEF\u{20000}-\u{3FFFF}]{2}/u;

export const COLUMN_GAP = 2;
/** Width of the last column of a table, the most important one, for which others are dropped. */
export const LEAST_LAST = 24;

/**
 * Fits the columns of a table: others are dropped until the last one has its least width.
 *
 * @param dropOrders order in which columns are dropped (1 first); those without one never are, nor is the last
 * @param columns width of the table
 * @returns the width of each column: 0 for a dropped one, the remaining room for the last
 */
export function fitColumns(
  widths: readonly number[],
  dropOrders: readonly (number | undefined)[],
  columns: number,
  leastLast: number,
): readonly number[] {
  const others = widths.slice(0, -1);
  const room = (): number =>
    others.reduce((left, width) => (width === 0 ? left : left - width - COLUMN_GAP), columns);
  const order = others
    .flatMap((_, at) => {
      const dropOrder = dropOrders[at];
      return dropOrder === undefined ? [] : [{ at, dropOrder }];
    })
    .sort((a, b) => a.dropOrder - b.dropOrder);
  for (const { at } of order) {
    if (room() >= leastLast) break;
    others[at] = 0;
  }
  return [...others, Math.max(0, room())];
}

/** A text padded with blanks at the end. */
export function padEnd(text: string, columns: number): string {
  return text + blanks(columns - textWidth(text));
}

/** A text padded with blanks at the start. */
export function padStart(text: string, columns: number): string {
  return blanks(columns - textWidth(text)) + text;
}

/** Two texts at both ends of a line. If they do not fit, the right one is dropped. */
export function spread(left: string, right: string, columns: number): string {
  const gap = columns - textWidth(left) - textWidth(right);
  return right === '' || gap < 2 ? left : `${left}${blanks(gap)}${right}`;
}

/** The longest end of a text (without escape codes) that fits, without an ellipsis. */
export function takeLastColumns(text: string, columns: number): string {
  const characters = splitGraphemes(text);
  let width = 0;
  let from = characters.length;
  while (from > 0) {
    width += textWidth(characters[from - 1] ?? '');
    if (width > columns) break;
    from -= 1;
  }
  return characters.slice(from).join('');
}

function blanks(count: number): string {
  return ' '.repeat(Math.max(0, count));
}
