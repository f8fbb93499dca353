import { Box, Text } from 'ink';
import type { ReactElement } from 'react';

/**
 * A frame of finished lines. Should a line be wider than the terminal (terminals disagree about
 * some emoji), it is cut: a line that wraps would push the frame out of the terminal.
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
