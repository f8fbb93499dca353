import { eolOf } from '../support/text.js';

/** The heading of a new `MEMORY.md`. */
export const MEMORY_TITLE = 'Long-Term Memory';

/** A part of a text with the line ends of the text: an editor or Git may have changed all of them since. */
export function withLineEndsOf(text: string, part: string): string {
  const isMixed = text.includes('\r\n') && /(?<!\r)\n/u.test(text);
  return isMixed || !text.includes('\n') ? part : part.replaceAll(/\r?\n/gu, eolOf(text));
}

/** What ends the last line of a text. */
export function lineEndAfter(text: string, end: string): string {
  return text === '' || text.endsWith('\n') ? '' : end;
}

/** What makes an empty line after a text. */
export function gapAfter(text: string, end: string): string {
  if (text === '' || /\n\r?\n$/u.test(text)) return '';
  return lineEndAfter(text, end) + end;
}

/**
 * A text without lines that were inserted, wherever they are now: the last, if the same were written again since.
 * Undefined if they were changed.
 *
 * @param replaced what was there before
 */
export function withoutInsertion(
  text: string,
  inserted: string,
  replaced = '',
): string | undefined {
  let from = text.lastIndexOf(inserted);
  while (from !== -1 && !isLineStart(text, from, inserted)) {
    from = from === 0 ? -1 : text.lastIndexOf(inserted, from - 1);
  }
  if (from !== -1) return text.slice(0, from) + replaced + text.slice(from + inserted.length);
  // An editor may have removed the line end at the end of the file.
  const unended = inserted.trimEnd();
  const at = text.length - unended.length;
  const isAtEnd = text.endsWith(unended) && isLineStart(text, at, unended);
  return isAtEnd ? text.slice(0, at) + replaced : undefined;
}

function isLineStart(text: string, from: number, part: string): boolean {
  return from === 0 || text[from - 1] === '\n' || /^\r?\n/u.test(part);
}

/** Removes a heading that was inserted, if its section is empty; a deeper heading below it is content. */
export function withoutFrame(text: string, inserted: string): string | undefined {
  const at = text.lastIndexOf(inserted);
  if (at === -1) return undefined;
  const below = text.slice(at + inserted.length).trimStart();
  const next = headingLevel(below);
  if (below !== '' && (next === 0 || next > headingLevel(inserted.trimStart()))) return undefined;
  return text.slice(0, at) + text.slice(at + inserted.length);
}

/** Level of the heading at the start of a text; 0 if there is none. */
function headingLevel(text: string): number {
  return /^#{1,6}(?=[ \t\r\n]|$)/u.exec(text)?.[0].length ?? 0;
}
