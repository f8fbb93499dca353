import type { TextSpan } from '../engine/memory/search/index.js';

/** How a text splits into indivisible units, and how many columns each takes. */
export interface Measure {
  split(text: string): Iterable<string>;
  width(unit: string): number;
}

/**
 * An estimate by code point: the tables of string-width would cost a search a quarter of its time. Good enough for
 * wrapping prose, where one column more or less does no harm.
 */
export const LIGHT_MEASURE: Measure = {
  split: (text) => text,
  width: (character) => {
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x300) return 1;
    if (isCombining(code)) return 0;
    return isWide(code) ? 2 : 1;
  },
};

/** A line broken into pieces that fit; left whole without a width (a pipe). */
export function wrapText(
  line: string,
  columns: number | undefined,
  measure: Measure = LIGHT_MEASURE,
): readonly string[] {
  if (columns === undefined) return [line];
  return wrapSpans(line, columns, measure).map(({ start, end }) =>
    line.slice(start, end).trimEnd(),
  );
}

/**
 * Where to break a line so that every piece fits: at blanks, which then belong to no piece, or within a word that is
 * too wide by itself. Leading blanks are kept.
 *
 * @returns spans of the line in UTF-16 units; one empty span for an empty line
 */
export function wrapSpans(line: string, columns: number, measure: Measure): readonly TextSpan[] {
  const room = Math.max(1, columns);
  const spans: TextSpan[] = [];
  let start = 0;
  let width = 0;
  let at = 0;
  let blank: { readonly at: number; readonly widthAfter: number } | undefined;
  for (const unit of measure.split(line)) {
    const unitWidth = measure.width(unit);
    if (width + unitWidth > room && at > start) {
      if (unit === ' ') {
        spans.push({ start, end: at });
        start = at + 1;
        width = 0;
        blank = undefined;
        at += unit.length;
        continue;
      }
      const end = blank?.at ?? at;
      spans.push({ start, end });
      start = blank === undefined ? at : end + 1;
      width -= blank?.widthAfter ?? width;
      blank = undefined;
    }
    if (unit === ' ' && line.slice(start, at).trim() !== '') {
      blank = { at, widthAfter: width + unitWidth };
    }
    width += unitWidth;
    at += unit.length;
  }
  if (start < line.length || spans.length === 0) spans.push({ start, end: line.length });
  return spans;
}

function isCombining(code: number): boolean {
  return (
    code <= 0x36f ||
    (code >= 0x200b && code <= 0x200f) ||
    (code >= 0x20d0 && code <= 0x20ff) ||
    (code >= 0xfe00 && code <= 0xfe0f)
  );
}

function isWide(code: number): boolean {
  return (
    (code >= 0x1100 && code <= 0x115f) ||
    (code >= 0x2e80 && code <= 0xa4cf) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xfe30 && code <= 0xfe6f) ||
    (code >= 0xff00 && code <= 0xff60) ||
    (code >= 0xffe0 && code <= 0xffe6) ||
    (code >= 0x1f300 && code <= 0x1faff) ||
    (code >= 0x20000 && code <= 0x3fffd)
  );
}
