import { Box, Text } from 'ink';
import { type ReactElement, type ReactNode, useContext, useReducer } from 'react';
import { fitEnd, padEnd, spread, textWidth, wrapText } from '../fit.js';
import { safeLine } from '../safe-text.js';
import type { Style } from '../style.js';
import { type Area, type TerminalSize, useTerminalSize } from '../terminal/size.js';
import { type KeyBinding, type KeyMap, moveKeys, useKeyMap } from './key-map.js';
import { PANE_TOP, Pane, reducePane } from './pane.js';
import { ScreenContext, useStyle } from './rows.js';

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
  /** What the keys do now, called for every frame and before every key. */
  readonly keys: () => KeyMap;
  /** Lists the keys instead of the body. */
  readonly isHelpOpen: boolean;
  /** Shown in the last line instead of the keys. */
  readonly note?: Note | undefined;
  /** What is asked or typed in the last line, if anything is. */
  readonly input?: (area: Area) => ReactElement | undefined;
  readonly children: (area: Area) => ReactNode;
}

/**
 * The layout of a full screen: one line at the top, one at the bottom, the body between them. The last row of the
 * terminal stays free (see frame-output.ts).
 */
export function Screen(props: ScreenProps): ReactElement {
  const { title, facts, keys, isHelpOpen, note, input, children } = props;
  const size = useTerminalSize(useContext(ScreenContext).stdout);
  useKeyMap(keys);
  const rows = size.rows - 1;
  if (size.columns < LEAST.columns || rows < LEAST.rows) {
    return <Text wrap="truncate">too small</Text>;
  }
  const margin = size.columns < MARGIN_FROM_COLUMNS ? 0 : MARGIN;
  const columns = Math.min(size.columns, MAX_COLUMNS) - margin * 2;
  const gap = size.rows < GAPS_FROM_ROWS ? 0 : 1;
  const body = { columns, rows: rows - 2 - gap * 2, x: margin, y: 1 + gap };
  const { bindings } = keys();
  return (
    <Box flexDirection="column" marginLeft={margin} width={columns} height={rows}>
      <Box height={1 + gap} flexShrink={0}>
        <Header title={title} facts={facts(columns)} columns={columns} />
      </Box>
      <Box height={body.rows} flexShrink={0} flexDirection="column" overflowY="hidden">
        {isHelpOpen ? <KeyHelp bindings={bindings} area={body} /> : children(body)}
      </Box>
      <Box height={1 + gap} flexShrink={0} paddingTop={gap}>
        {input?.({ columns, rows: 1, x: margin, y: rows - 1 }) ?? (
          <StatusBar bindings={bindings} note={note} columns={columns} />
        )}
      </Box>
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

/** The result of an action, or a problem. */
export interface Note {
  /** May be untrusted. */
  readonly text: string;
  readonly isFault: boolean;
}

/** The last line of a screen: a message, or the keys that do something now, as many as fit. */
function StatusBar({
  bindings,
  note,
  columns,
}: {
  readonly bindings: readonly KeyBinding[];
  readonly note: Note | undefined;
  readonly columns: number;
}): ReactElement {
  const style = useStyle();
  if (note !== undefined) {
    const line = fitEnd(safeLine(note.text), columns);
    return <Text wrap="truncate">{note.isFault ? style.fault(line) : line}</Text>;
  }
  const keys = bindings.flatMap(({ bar }) => bar ?? []);
  return <Text wrap="truncate">{style.dim(fittingKeys(keys, columns))}</Text>;
}

/** All keys of a screen that do something now, one per line; can be scrolled. */
function KeyHelp({
  bindings,
  area,
}: {
  readonly bindings: readonly KeyBinding[];
  readonly area: Area;
}): ReactElement {
  const style = useStyle();
  const [pane, dispatch] = useReducer(reducePane, PANE_TOP);
  useKeyMap(() => ({ bindings: moveKeys('scroll', (to) => dispatch({ type: 'scrolled', to })) }));
  const keys = bindings.flatMap(({ help }) => (help === undefined ? [] : [help]));
  const text = (columns: number): readonly string[] => keyLines(keys, style, columns);
  return <Pane state={pane} dispatch={dispatch} text={text} area={area} />;
}

/** As many texts of keys as fit in a line. */
export function fittingKeys(
  keys: readonly NonNullable<KeyBinding['bar']>[],
  columns: number,
): string {
  let kept = keys;
  while (kept.length > 0) {
    const line = kept.map(({ text }) => text).join('   ');
    if (textWidth(line) <= columns) return line;
    const lowest = Math.min(...kept.map(({ dropOrder }) => dropOrder));
    kept = kept.filter(({ dropOrder }) => dropOrder > lowest);
  }
  return '';
}

/** Room for `q, ctrl-c` and a gap. */
const KEY_COLUMNS = 12;
/** Words are cut rather than broken into narrower columns. */
const LEAST_WORDS = 12;

/** The help: each key with its description, wrapped if needed. */
export function keyLines(
  keys: readonly NonNullable<KeyBinding['help']>[],
  style: Style,
  columns: number,
): readonly string[] {
  const keyColumns = Math.max(KEY_COLUMNS, ...keys.map(([key]) => key.length + 2));
  return keys.flatMap(([key, description]) =>
    wrapText(description, Math.max(LEAST_WORDS, columns - keyColumns)).map((words, row) => {
      const line = fitEnd(padEnd(row === 0 ? key : '', keyColumns) + words, columns);
      return style.bold(line.slice(0, keyColumns)) + line.slice(keyColumns);
    }),
  );
}
