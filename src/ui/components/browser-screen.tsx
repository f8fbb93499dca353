import { Box } from 'ink';
import { type ReactElement, useSyncExternalStore } from 'react';
import type { Style } from '../style.js';
import { useTerminalSize } from '../terminal/size.js';
import type { Browser } from './browser.js';
import type { BrowserKeysOptions } from './browser-keys.js';
import type { BrowserState } from './browser-state.js';
import { BrowserStatus, BrowserView } from './browser-view.js';
import { Header } from './header.js';
import { useKeyMap } from './key-map.js';
import type { ListColumn } from './list.js';
import type { ListItem } from './list-state.js';
import { type Area, Rows, Screen } from './screen.js';

/** What a screen adds to a browser. Functions are called for every frame, `keys` also before every key. */
interface BrowserScreenProps<Item extends ListItem> {
  readonly browser: Browser<Item>;
  readonly stdout: NodeJS.WriteStream;
  readonly style: Style;
  readonly title: string;
  /** At the right of the title, most important last. */
  readonly facts: (state: BrowserState<Item>) => readonly string[];
  readonly columns: readonly ListColumn<Item>[];
  /** Instead of an empty list. */
  readonly empty: () => string;
  readonly keys: () => BrowserKeysOptions;
  /** Details are below the list at any width, since its rows are long. */
  readonly isBelow?: boolean;
  /** Finished lines above and below the list, which have to leave room for it. */
  readonly around?: (
    area: Area,
    state: BrowserState<Item>,
  ) => { readonly above: readonly string[]; readonly below?: readonly string[] };
}

/** A screen that consists of a browser. */
export function BrowserScreen<Item extends ListItem>(
  props: BrowserScreenProps<Item>,
): ReactElement {
  const { browser, style, title, facts, columns, empty, keys, around } = props;
  const state = useSyncExternalStore(browser.subscribe, browser.getSnapshot);
  const size = useTerminalSize(props.stdout);
  useKeyMap(() => browser.keys(keys()));
  const { bindings } = browser.keys(keys());
  const body = (area: Area): ReactElement => {
    const isWhole = state.isHelp || (state.isOpen && !state.previews);
    const { above, below = [] } = (isWhole ? undefined : around?.(area, state)) ?? { above: [] };
    const rows = area.rows - above.length - below.length;
    const view = (
      <BrowserView
        state={state}
        dispatch={browser.dispatch}
        onOpen={browser.open}
        columns={columns}
        bindings={bindings}
        empty={empty()}
        isBelow={props.isBelow}
        area={{ ...area, rows, y: area.y + above.length }}
      />
    );
    return (
      <>
        <Rows lines={above} />
        {rows < 1 ? null : (
          <Box height={rows} flexShrink={0} flexDirection="column">
            {view}
          </Box>
        )}
        <Rows lines={below} />
      </>
    );
  };
  return (
    <Screen
      size={size}
      style={style}
      header={(width) => <Header title={title} facts={facts(state)} columns={width} />}
      status={(area) => <BrowserStatus state={state} bindings={bindings} area={area} />}
    >
      {body}
    </Screen>
  );
}
