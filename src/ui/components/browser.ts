import { createStore, type Pace, type Store } from '../screens/store.js';
import { type BrowserKeysOptions, browserKeys } from './browser-keys.js';
import type { BrowserAction, BrowserSource } from './browser-source.js';
import {
  type BrowserEvent,
  type BrowserState,
  reduceBrowser,
  startBrowser,
} from './browser-state.js';
import type { KeyMap } from './key-map.js';
import type { ListItem } from './list-state.js';

/** A browser that follows its source. */
export interface Browser<Item extends ListItem>
  extends Store<BrowserState<Item>, BrowserEvent<Item>> {
  readonly choices: readonly string[];
  /** Reads what is shown again. @throws what the source throws */
  readonly refresh: () => Promise<void>;
  /** What the keys do now. */
  readonly keys: (options: BrowserKeysOptions) => KeyMap;
}

/** Opens a browser. Nothing is read before the first refresh. */
export function createBrowser<Item extends ListItem, Choice extends string>(
  source: BrowserSource<Item, Choice>,
  pace?: Pace,
): Browser<Item> {
  const store = createStore<BrowserState<Item>, BrowserEvent<Item>>(
    startBrowser(),
    reduceBrowser,
    pace,
  );
  const { getSnapshot, dispatch } = store;
  const readList = async (): Promise<void> => {
    const { choice } = getSnapshot();
    const { items, total } = await source.list(source.choices[choice] ?? source.choices[0]);
    dispatch({ type: 'listed', choice, items, total });
  };
  const readDetails = async (): Promise<void> => {
    const item = getSnapshot().opened?.item;
    if (item === undefined) return;
    dispatch({ type: 'read', id: item.id, lines: await source.details(item) });
  };
  const orNote = (work: Promise<void>): void => {
    work.catch((error: unknown) => {
      dispatch({ type: 'noted', note: { text: source.explain(error), isFault: true } });
    });
  };
  const refresh = async (): Promise<void> => {
    await readList();
    await readDetails();
  };
  const act = async ({ name, run }: BrowserAction<Item>, item: Item): Promise<void> => {
    dispatch({ type: 'noted', note: { text: `${name} …`, isFault: false } });
    const text = await run(item);
    dispatch({ type: 'noted', note: { text, isFault: false } });
    await refresh();
  };
  const orders = {
    open: (item: Item) => {
      dispatch({ type: 'opened', item });
      orNote(readDetails());
    },
    choose: () => {
      dispatch({ type: 'chosen', choice: (getSnapshot().choice + 1) % source.choices.length });
      orNote(readList());
    },
    act: (action: BrowserAction<Item>, item: Item) => orNote(act(action, item)),
  };
  return {
    ...store,
    choices: source.choices,
    refresh,
    keys: (options) => browserKeys(getSnapshot(), source, { ...options, ...orders, dispatch }),
  };
}
