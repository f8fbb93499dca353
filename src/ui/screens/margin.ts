import type { TerminalSize } from './terminal-size.js';

const MARGIN = '  ';

/**
 * What a frame may fill of a terminal: all but a margin on both sides and the last row, which a
 * frame must leave free (see mount.ts).
 *
 * @param maxColumns wider than this the eye loses the line
 * @param leastColumns narrower than this nothing can be drawn; there the terminal cuts the lines
 */
export function insideMargin(
  size: TerminalSize,
  maxColumns: number,
  leastColumns = 1,
): TerminalSize {
  const columns = Math.min(size.columns, maxColumns) - MARGIN.length * 2;
  return { columns: Math.max(leastColumns, columns), rows: Math.max(1, size.rows - 1) };
}

/** The lines of a frame in their margin. Where they are too many the last stay: the keys. */
export function withMargin(lines: readonly string[], rows: number): readonly string[] {
  return lines.slice(-rows).map((line) => (MARGIN + line).trimEnd());
}
