import { fitEnd, padEnd, textWidth } from '../fit.js';
import type { Style } from '../style.js';

/** A key as it is written, and what it does. */
export type KeyHelp = readonly [key: string, does: string];

/** Room for `q, ctrl-c` and a gap. */
const KEY_COLUMNS = 12;

/** The list of keys, one a line; what does not fit is cut. */
export function keyLines(
  keys: readonly KeyHelp[],
  style: Style,
  columns: number,
  keyColumns = KEY_COLUMNS,
): readonly string[] {
  return keys.map(([key, does]) => {
    const line = fitEnd(padEnd(key, keyColumns) + does, columns);
    return style.bold(line.slice(0, keyColumns)) + line.slice(keyColumns);
  });
}

/** A key in the last line of a screen. */
export interface FooterKey {
  readonly text: string;
  /** Whether it does anything now. */
  readonly shown: boolean;
  /** Its turn to go where there is little room: 1 goes first. */
  readonly goes: number;
}

/** As many keys as fit in a line; those that the list of keys tells as well go first. */
export function fittingKeys(keys: readonly FooterKey[], columns: number): string {
  let kept = keys.filter(({ shown }) => shown);
  while (kept.length > 0) {
    const line = kept.map(({ text }) => text).join('   ');
    if (textWidth(line) <= columns) return line;
    const next = Math.min(...kept.map(({ goes }) => goes));
    kept = kept.filter(({ goes }) => goes > next);
  }
  return '';
}
