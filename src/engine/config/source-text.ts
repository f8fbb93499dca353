import type { SourceLocation } from '../errors/index.js';

/** Turns offsets of a text into lines and columns. */
export interface TextPositions {
  /** 1-based line and column (in UTF-16 code units, as editors count) of a 0-based offset. */
  at(offset: number): SourceLocation;
}

/** Prepares a text for {@link TextPositions.at}; `\n`, `\r\n` and a lone `\r` end a line. */
export function createTextPositions(file: string, text: string): TextPositions {
  const starts = [0];
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 10 || (unit === 13 && text.charCodeAt(at + 1) !== 10)) starts.push(at + 1);
  }
  return {
    at(offset) {
      const line = lastAtMost(starts, offset);
      return { file, line: line + 1, column: offset - (starts[line] ?? 0) + 1 };
    },
  };
}

/** Index of the last number that is not above the limit, in an ascending list that begins with 0. */
function lastAtMost(ascending: readonly number[], limit: number): number {
  let low = 0;
  let high = ascending.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((ascending[middle] ?? 0) <= limit) low = middle;
    else high = middle - 1;
  }
  return low;
}
