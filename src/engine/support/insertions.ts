/** A text to insert. */
export interface Insertion {
  /** In the text without any of the insertions. */
  readonly offset: number;
  readonly text: string;
}

/** Applies insertions, which are sorted by offset. */
export function withInsertions(text: string, insertions: readonly Insertion[]): string {
  let result = '';
  let end = 0;
  for (const { offset, text: inserted } of insertions) {
    result += text.slice(end, offset) + inserted;
    end = offset;
  }
  return result + text.slice(end);
}

/**
 * Reverts {@link withInsertions} exactly; undefined where one of the insertions is not in its place.
 */
export function withoutInsertions(
  text: string,
  insertions: readonly Insertion[],
): string | undefined {
  let result = '';
  let end = 0;
  let grown = 0;
  for (const { offset, text: inserted } of insertions) {
    const start = offset + grown;
    if (start < end || !text.startsWith(inserted, start)) return undefined;
    result += text.slice(end, start);
    end = start + inserted.length;
    grown += inserted.length;
  }
  return result + text.slice(end);
}
