import type { TerminalSize } from '../../terminal/size.js';

/** How many lines of the frame belong to what. */
export interface SearchLayout {
  readonly columns: number;
  /** The whole frame: one line less than the terminal, so that the last line break scrolls nothing. */
  readonly height: number;
  readonly list: number;
  readonly preview: number;
}

/** Input, rule and footer. */
const FIXED_LINES = 3;
const LIST_MIN = 3;
const LIST_MAX = 12;
const LIST_SHARE = 0.4;

/**
 * Shares the terminal's height out. It depends on the size alone, not on how many results there
 * are: the rule between list and passage stays where it is while a person types.
 */
export function layoutSearch({ columns, rows }: TerminalSize): SearchLayout {
  const height = Math.max(1, rows - 1);
  const body = Math.max(0, height - FIXED_LINES);
  const wanted = Math.min(LIST_MAX, Math.max(LIST_MIN, Math.floor(body * LIST_SHARE)));
  const list = Math.min(body, wanted);
  return { columns, height, list, preview: body - list };
}
