import { Box, Text } from 'ink';
import type { ReactElement } from 'react';
import { formatCount, formatCountOf } from '../../engine/support/format.js';
import { fitEnd } from '../fit.js';
import { safeLine } from '../safe-text.js';
import type { Style } from '../style.js';
import type { Area } from '../terminal/size.js';
import type { Browser, BrowserKeysOptions } from './browser.js';
import { type BrowserState, paneContent } from './browser-state.js';
import { List, type ListColumn } from './list.js';
import { type ListItem, listView } from './list-state.js';
import { Pane } from './pane.js';
import { Rows, useStyle } from './rows.js';
import { Screen } from './screen.js';
import { type ReadableStore, useStore } from './store.js';
import { FilterInput } from './text-input.js';

/** What a screen adds to a browser. Functions are called for every frame, `keys` also before every key. */
interface BrowserScreenProps<Item extends ListItem> {
  readonly browser: Browser<Item>;
  /** Another store that the functions below read. */
  readonly extraStore?: ReadableStore<unknown>;
  readonly title: () => string;
  /** At the right of the title, most important last. */
  readonly facts: (state: BrowserState<Item>) => readonly string[];
  readonly columns: () => readonly ListColumn<Item>[];
  /** Shown instead of an empty list of the first choice, which is everything. */
  readonly empty: () => string;
  readonly keys: () => BrowserKeysOptions;
  /** Whether details are below the list at any width, since its rows are long. */
  readonly hasDetailsBelow?: boolean;
  /** Finished lines above and below the browser, which have to leave room for it. */
  readonly around?: (
    area: Area,
    state: BrowserState<Item>,
  ) => { readonly above: readonly string[]; readonly below?: readonly string[] };
}

/** A screen that consists of a browser. */
export function BrowserScreen<Item extends ListItem>(
  props: BrowserScreenProps<Item>,
): ReactElement {
  const { browser, title, facts, keys } = props;
  const state = useStore(browser);
  useStore(props.extraStore ?? browser);
  const style = useStyle();
  return (
    <Screen
      title={title()}
      facts={() => facts(state)}
      keys={() => browser.keys(keys())}
      isHelpOpen={state.isHelpOpen}
      note={state.note}
      input={(area) => browserInput(state, style, area)}
    >
      {(area) => {
        // Opened details have the place of everything else.
        const isWhole = state.isOpen && !state.hasPreview;
        const { above, below = [] } = (isWhole ? undefined : props.around?.(area, state)) ?? {
          above: [],
        };
        const rows = area.rows - above.length - below.length;
        const body = { ...area, rows, y: area.y + above.length };
        return (
          <>
            <Rows lines={above} />
            {rows < 1 ? null : (
              <Box height={rows} flexShrink={0} flexDirection="column">
                <BrowserBody {...props} state={state} area={body} />
              </Box>
            )}
            <Rows lines={below} />
          </>
        );
      }}
    </Screen>
  );
}

/** From this width on, details are next to the list, otherwise in its place or below it. */
const BESIDE_COLUMNS = 100;
const LIST_SHARE = 0.45;
/** Details below a list need this many rows. */
const BELOW_ROWS = 8;
const DIVIDER = ' │ ';

interface BrowserBodyProps<Item extends ListItem> extends BrowserScreenProps<Item> {
  readonly state: BrowserState<Item>;
  readonly area: Area;
}

/** The list of a browser, with the details of an entry or what an action would change. */
function BrowserBody<Item extends ListItem>(props: BrowserBodyProps<Item>): ReactElement {
  const { browser, state, columns, empty, hasDetailsBelow = false, area } = props;
  const style = useStyle();
  const list = (part: Area): ReactElement => (
    <List
      state={state.list}
      dispatch={browser.changeList}
      columns={columns()}
      area={part}
      empty={emptyWords(state, browser.choices, empty())}
      onOpen={browser.open}
    />
  );
  const content = paneContent(state);
  if (content === undefined) return list(area);
  const pane = (part: Area): ReactElement => (
    <Pane
      state={content.pane}
      dispatch={browser.changePane}
      text={content.text ?? []}
      area={part}
    />
  );
  if (!hasDetailsBelow && area.columns >= BESIDE_COLUMNS) {
    const left = Math.floor(area.columns * LIST_SHARE);
    const indent = left + DIVIDER.length;
    const divider = Array.from({ length: area.rows }, () => style.dim(DIVIDER));
    return (
      <Box>
        <Box width={left} flexShrink={0} flexDirection="column">
          {list({ ...area, columns: left })}
        </Box>
        <Rows lines={divider} />
        {pane({ ...area, columns: area.columns - indent, x: area.x + indent })}
      </Box>
    );
  }
  if (state.isOpen || content === state.pendingAction) return pane(area);
  if (area.rows < BELOW_ROWS) return list(area);
  const rows = Math.min(Math.ceil(area.rows * LIST_SHARE), state.list.items.length + 1);
  const top = rows + 1;
  return (
    <>
      <Box height={rows} flexShrink={0} flexDirection="column">
        {list({ ...area, rows })}
      </Box>
      <Rows lines={[style.dim('─'.repeat(area.columns))]} />
      {pane({ ...area, rows: area.rows - top, y: area.y + top })}
    </>
  );
}

function emptyWords<Item extends ListItem>(
  { total, list, choice }: BrowserState<Item>,
  choices: readonly string[],
  empty: string,
): string {
  if (total === undefined) return 'reading …';
  if (list.items.length > 0) return 'nothing matches the filter';
  return choice === 0 ? empty : `nothing under "${choices[choice]}"`;
}

/** The question of a browser, or its filter while it is typed. */
function browserInput<Item extends ListItem>(
  state: BrowserState<Item>,
  style: Style,
  area: Area,
): ReactElement | undefined {
  if (state.pendingAction !== undefined) {
    const question = safeLine(state.pendingAction.question);
    const line = `${fitEnd(question, area.columns - ANSWERS.length)}${ANSWERS}`;
    return <Text wrap="truncate">{style.warning(fitEnd(line, area.columns))}</Text>;
  }
  return state.list.isFiltering ? <FilterInput list={state.list} area={area} /> : undefined;
}

const ANSWERS = '  y/n';

/** What the header of a browser shows: the choice, the filter, and how many entries there are. */
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
