/*
 * The line numbers of a chunk's lines as a text: the first, then the steps, separated by commas. Steps
 * are small, and most of them the same.
 */

/** The form in which they are stored. */
export function lineNumbersText(numbers: readonly number[]): string {
  return numbers.map((number, at) => number - (numbers[at - 1] ?? 0)).join(',');
}

/** Reads what {@link lineNumbersText} writes; undefined for null: then lines follow each other. */
export function lineNumbersOf(text: string | null): readonly number[] | undefined {
  if (text === null) return undefined;
  let number = 0;
  return text.split(',').map((step) => {
    number += Number(step);
    return number;
  });
}
