/** The heading of a new `MEMORY.md`. */
export const MEMORY_TITLE = 'Long-Term Memory';

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
  const found = lastAtLineStart(text, inserted) ?? lastAtLineStart(text, inserted.trimEnd(), true);
  return found === undefined
    ? undefined
    : text.slice(0, found.from) + replaced + text.slice(found.to);
}

/** @param atEnd an editor may have removed the line end at the end of the file */
function lastAtLineStart(
  text: string,
  part: string,
  atEnd = false,
): { readonly from: number; readonly to: number } | undefined {
  if (atEnd) {
    const from = text.length - part.length;
    return text.endsWith(part) && isLineStart(text, from, part)
      ? { from, to: text.length }
      : undefined;
  }
  let from = text.lastIndexOf(part);
  while (from !== -1 && !isLineStart(text, from, part)) {
    from = from === 0 ? -1 : text.lastIndexOf(part, from - 1);
  }
  return from === -1 ? undefined : { from, to: from + part.length };
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
