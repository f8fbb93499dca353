import { Box, Text } from 'ink';
import type { ReactElement } from 'react';
import type { TerminalSize } from '../terminal/size.js';

/**
 * A frame of finished lines. A line that is wider than the terminal (terminals disagree about some emoji) is cut, since
 * a wrapped line would push the frame out of the terminal.
 */
export function Lines({ lines }: { readonly lines: readonly string[] }): ReactElement {
  return (
    <Box flexDirection="column">
      {lines.map((line, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row is what it is: the row at this place
        <Text key={row} wrap="truncate">
          {line === '' ? ' ' : line}
        </Text>
      ))}
    </Box>
  );
}

const MARGIN = '  ';

/**
 * The size of a frame: the terminal without a margin on both sides and the last row, which must stay free (see
 * mount.ts).
 *
 * @param maxColumns wider lines are hard to read
 * @param leastColumns in a narrower terminal, lines are cut
 */
export function insideMargin(
  size: TerminalSize,
  maxColumns: number,
  leastColumns = 1,
): TerminalSize {
  const columns = Math.min(size.columns, maxColumns) - MARGIN.length * 2;
  return { columns: Math.max(leastColumns, columns), rows: Math.max(1, size.rows - 1) };
}

/** The lines of a frame with a margin. If there are too many, the last ones (the keys) are kept. */
export function withMargin(lines: readonly string[], rows: number): readonly string[] {
  return lines.slice(-rows).map((line) => (MARGIN + line).trimEnd());
}
