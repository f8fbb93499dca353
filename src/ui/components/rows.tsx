import { Box, Text } from 'ink';
import { createContext, type ReactElement, useContext } from 'react';
import { createStyle, type Style } from '../style.js';

/** The terminal and the look of all parts of a screen. */
export const ScreenContext = createContext<{
  readonly stdout: NodeJS.WriteStream;
  readonly style: Style;
}>({
  // Read late: Node.js opens the stream then.
  get stdout() {
    return process.stdout;
  },
  style: createStyle(false),
});

/** The style of the screen that a component is part of. */
export function useStyle(): Style {
  return useContext(ScreenContext).style;
}

/**
 * Finished lines, one row each. A line that is wider than the terminal (terminals disagree about some emoji) is cut.
 */
export function Rows({ lines }: { readonly lines: readonly string[] }): ReactElement {
  return (
    <Box flexDirection="column">
      {lines.map((line, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row has no identity besides its place
        <Text key={row} wrap="truncate">
          {line === '' ? ' ' : line}
        </Text>
      ))}
    </Box>
  );
}
