/** Longest that is kept of a line of progress, in characters. */
const PROGRESS_CHARS = 300;
/** Longest that is kept of what a worker says at its end, in characters. */
const SUMMARY_CHARS = 4000;

// Line breaks are none of them: they are handled by each caller.
const CONTROL = /[\p{Cc}\p{Cf}]+/gu;

/** One line for people, without what would move the cursor of a terminal; '' where nothing is left. */
export function progressLine(text: string): string {
  return cut(text.replaceAll(CONTROL, ' ').replaceAll(/\s+/gu, ' ').trim(), PROGRESS_CHARS);
}

/** A few lines for people, by the same rule. */
export function summaryText(text: string): string {
  const lines = text.split(/\r?\n/u).map((line) => line.replaceAll(CONTROL, ' ').trimEnd());
  return cut(lines.join('\n').trim(), SUMMARY_CHARS);
}

function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  // Half of a character is none.
  const end = text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/u, '');
  return `${end}…`;
}
