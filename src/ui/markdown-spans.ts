import type { TextSpan } from '../engine/memory/search/index.js';

/** A part of a line of Markdown that is shown differently. */
export interface MarkdownSpan extends TextSpan {
  readonly kind: 'code' | 'heading' | 'link' | 'strong';
}

const FENCE = /^\s{0,3}(?:```|~~~)/u;
const HEADING = /^#{1,6}\s/u;
/** Code, links, addresses and bold text; the first one that begins is taken whole. */
const INLINE =
  /(?<code>`[^`]+`)|(?<link>\[\[[^\]]{1,500}\]\]|\[[^\]]{1,500}\]\([^)\s]{1,2000}\)|https?:\/\/[^\s<>)\]]+)|(?<strong>\*\*[^*]{1,500}\*\*|__[^_]{1,500}__)/gu;

/** Which parts of some lines in a row are headings, code, links and bold; not all of Markdown. */
export function markdownSpans(lines: readonly string[]): readonly (readonly MarkdownSpan[])[] {
  let isCode = false;
  return lines.map((line) => {
    const whole = { start: 0, end: line.length };
    if (FENCE.test(line)) {
      isCode = !isCode;
      return [{ ...whole, kind: 'code' }];
    }
    if (isCode) return [{ ...whole, kind: 'code' }];
    if (HEADING.test(line)) return [{ ...whole, kind: 'heading' }];
    return Array.from(line.matchAll(INLINE), ({ 0: text, index, groups }): MarkdownSpan => {
      const kind =
        groups?.['code'] !== undefined
          ? 'code'
          : groups?.['link'] !== undefined
            ? 'link'
            : 'strong';
      return { start: index, end: index + text.length, kind };
    });
  });
}
