/** Text that is put into another one and takes nothing away from it. */
export interface Insertion {
  /** Where it goes, counted in the text without any of the insertions. */
  readonly offset: number;
  readonly text: string;
}

/** The text with all insertions, which come in the order of their offsets. */
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
 * Takes insertions back: the text as it was before {@link withInsertions}, to the byte. Undefined
 * where one of them is not in its place.
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
