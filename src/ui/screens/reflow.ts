import { textWidth } from '../fit.js';

/** Erases the row of the cursor. */
const ERASE_ROW = '\u001B[2K';
const UP_AND_ERASE = `\u001B[1A${ERASE_ROW}`;

/**
 * What to write when a terminal has just got narrower, before ink clears its frame: terminals break
 * lines that are now too long, and ink goes up only as many rows as it has lines.
 *
 * @param lines the frame on the screen; the cursor stands in the row below it
 */
export function eraseReflowed(lines: readonly string[], columns: number): string {
  const rows = lines.map((line) => Math.max(1, Math.ceil(textWidth(line) / Math.max(1, columns))));
  const extra = rows.reduce((sum, count) => sum + count - 1, 0);
  return extra === 0 ? '' : ERASE_ROW + UP_AND_ERASE.repeat(extra);
}
