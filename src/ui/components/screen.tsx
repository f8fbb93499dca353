import { Box, Text } from 'ink';
import { createContext, type ReactElement, type ReactNode, useContext } from 'react';
import { fitEnd, spread, textWidth } from '../fit.js';
import { createStyle, type Style } from '../style.js';
import { type Area, type TerminalSize, useTerminalSize } from '../terminal/size.js';

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

const MARGIN = 2;
/** Without a margin in narrower terminals. */
const MARGIN_FROM_COLUMNS = 40;
/** Blank lines around the body need this many rows. */
const GAPS_FROM_ROWS = 16;
/** A longer line is hard to follow. */
const MAX_COLUMNS = 180;
const LEAST: TerminalSize = { columns: 16, rows: 4 };

/** What a screen consists of; the parts get their area. */
export interface ScreenProps {
  readonly title: string;
  /** At the right of the title, most important last; the first ones are dropped without room. */
  readonly facts: (columns: number) => readonly string[];
  readonly status: (area: Area) => ReactNode;
  readonly children: (area: Area) => ReactNode;
}

/**
 * The layout of a full screen: one line at the top, one at the bottom, the body between them. The last row of the
 * terminal stays free (see frame-output.ts).
 */
export function Screen(props: ScreenProps): ReactElement {
  const { title, facts, status, children } = props;
  const size = useTerminalSize(useContext(ScreenContext).stdout);
  const rows = size.rows - 1;
  if (size.columns < LEAST.columns || rows < LEAST.rows) {
    return <Text wrap="truncate">too small</Text>;
  }
  const margin = size.columns < MARGIN_FROM_COLUMNS ? 0 : MARGIN;
  const columns = Math.min(size.columns, MAX_COLUMNS) - margin * 2;
  const gap = size.rows < GAPS_FROM_ROWS ? 0 : 1;
  const body = { columns, rows: rows - 2 - gap * 2, x: margin, y: 1 + gap };
  return (
    <Box flexDirection="column" marginLeft={margin} width={columns} height={rows}>
      <Box height={1 + gap} flexShrink={0}>
        <Header title={title} facts={facts(columns)} columns={columns} />
      </Box>
      <Box height={body.rows} flexShrink={0} flexDirection="column" overflowY="hidden">
        {children(body)}
      </Box>
      <Box height={1 + gap} flexShrink={0} paddingTop={gap}>
        {status({ columns, rows: 1, x: margin, y: rows - 1 })}
      </Box>
    </Box>
  );
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

/** The title of a screen, and at the right facts about it. */
function Header({
  title,
  facts,
  columns,
}: {
  readonly title: string;
  readonly facts: readonly string[];
  readonly columns: number;
}): ReactElement {
  const { bold } = useStyle();
  const room = columns - Math.min(textWidth(title), LEAST_TITLE) - 2;
  const known = facts.filter((fact) => fact !== '');
  const kept = known.filter((_, at) => textWidth(known.slice(at).join(SEPARATOR)) <= room);
  const right = kept.join(SEPARATOR);
  const left = fitEnd(title, right === '' ? columns : columns - textWidth(right) - 2);
  return <Text wrap="truncate">{bold(spread(left, right, columns))}</Text>;
}

const SEPARATOR = ' · ';
/** A longer title is cut before facts are dropped. */
const LEAST_TITLE = 24;
