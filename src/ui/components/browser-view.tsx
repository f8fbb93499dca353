import { Box, Text } from 'ink';
import type { ReactElement } from 'react';
import { formatCount, formatCountOf } from '../../engine/support/format.js';
import { fitEnd } from '../fit.js';
import { safeLine } from '../safe-text.js';
import type { Browser } from './browser.js';
import type { BrowserState } from './browser-state.js';
import type { KeyBinding } from './key-map.js';
import { List, type ListColumn } from './list.js';
import { type ListItem, listView } from './list-state.js';
import { Pane } from './pane.js';
import { type Area, useTheme } from './screen.js';
import { KeyHelp, StatusBar } from './status-bar.js';
import { TextInput } from './text-input.js';

/** From this width on, details are next to the list instead of in its place. */
const BESIDE_COLUMNS = 130;
const LIST_SHARE = 0.45;
const GAP = 3;

interface BrowserViewProps<Item extends ListItem> {
  readonly state: BrowserState<Item>;
  readonly dispatch: Browser<Item>['dispatch'];
  readonly columns: readonly ListColumn<Item>[];
  readonly bindings: readonly KeyBinding[];
  readonly empty: string;
  readonly area: Area;
}

/** The list of a browser, the details of its opened entry, or its keys. */
export function BrowserView<Item extends ListItem>(props: BrowserViewProps<Item>): ReactElement {
  const { state, dispatch, columns, bindings, empty, area } = props;
  const { opened } = state;
  if (state.isHelp) return <KeyHelp bindings={bindings} columns={area.columns} />;
  const isWide = area.columns >= BESIDE_COLUMNS;
  const listColumns =
    opened !== undefined && isWide ? Math.floor(area.columns * LIST_SHARE) : area.columns;
  const list = (
    <List
      state={state.list}
      dispatch={(event) => dispatch({ type: 'list', event })}
      columns={columns}
      area={{ columns: listColumns, rows: area.rows }}
      empty={emptyWords(state, empty)}
    />
  );
  if (opened === undefined) return list;
  const pane = (
    <Pane
      state={opened.pane}
      dispatch={(event) => dispatch({ type: 'pane', event })}
      lines={opened.lines ?? []}
      area={{ columns: isWide ? area.columns - listColumns - GAP : area.columns, rows: area.rows }}
    />
  );
  if (!isWide) return pane;
  return (
    <Box>
      <Box width={listColumns + GAP} flexShrink={0} flexDirection="column">
        {list}
      </Box>
      {pane}
    </Box>
  );
}

function emptyWords<Item extends ListItem>(
  { total, list }: BrowserState<Item>,
  empty: string,
): string {
  if (total === undefined) return 'reading …';
  return list.items.length === 0 ? empty : 'nothing matches the filter';
}

/** The last line of a browser: its question, its filter while it is typed, a message, or keys. */
export function BrowserStatus<Item extends ListItem>({
  state,
  bindings,
  area,
}: {
  readonly state: BrowserState<Item>;
  readonly bindings: readonly KeyBinding[];
  readonly area: Area;
}): ReactElement {
  const theme = useTheme();
  if (state.asked !== undefined) {
    const question = safeLine(state.asked.question);
    const line = `${fitEnd(question, area.columns - ANSWERS.length)}${ANSWERS}`;
    return <Text wrap="truncate">{theme.yellow(fitEnd(line, area.columns))}</Text>;
  }
  if (state.isFiltering) {
    const { matching } = listView(state.list);
    const hint = `${formatCount(matching.length)} of ${formatCount(state.list.items.length)}`;
    return <TextInput prompt="/ " line={state.list.filter} hint={hint} area={area} />;
  }
  return <StatusBar bindings={bindings} note={state.note} columns={area.columns} />;
}

const ANSWERS = '  y/n';

/** What the header of a browser shows: filters, then how many there are. */
export function browserFacts<Item extends ListItem>(
  { list, total, choice }: BrowserState<Item>,
  choices: readonly string[],
  noun: string,
  nouns = `${noun}s`,
): readonly string[] {
  const chosen = choice === 0 ? [] : [choices[choice] ?? ''];
  if (total === undefined) return chosen;
  const filter = list.filter.text.trim();
  const read = list.items.length;
  const all =
    read < total
      ? `${formatCount(read)} newest of ${formatCountOf(total, noun, nouns)}`
      : formatCountOf(total, noun, nouns);
  if (filter === '') return [...chosen, all];
  const { matching } = listView(list);
  return [...chosen, `"${safeLine(filter)}"`, `${formatCount(matching.length)} of ${all}`];
}
