import { type BrowserKeysOptions, browserKeys } from './browser-keys.js';
import {
  type BrowserAction,
  type BrowserEvent,
  type BrowserSource,
  type BrowserState,
  initialBrowser,
  reduceBrowser,
} from './browser-state.js';
import type { KeyMap } from './key-map.js';
import { type ListItem, listView } from './list-state.js';
import { createStore, type Store } from './store.js';

/** A browser that follows its source. */
export interface Browser<Item extends ListItem>
  extends Store<BrowserState<Item>, BrowserEvent<Item>> {
  readonly choices: readonly string[];
  /** Reads the list and the details again. @throws what the source throws */
  readonly refresh: () => Promise<void>;
  /** Reads the details again. */
  readonly readDetails: () => void;
  /** Shows the details of an entry. */
  readonly open: (item: Item) => void;
  /** What the keys do now. */
  readonly keys: (options: BrowserKeysOptions) => KeyMap;
  /** Performs an action that needs no entry. While one is in progress, others are ignored. */
  readonly perform: (name: string, run: () => Promise<string>) => void;
  /** Shows the error of work that is repeated, until it succeeds. */
  readonly noteOutage: (work: Promise<void>) => Promise<void>;
  /** Resolves when the action in progress has ended. */
  readonly whenIdle: () => Promise<void>;
}

/** Creates a browser. Nothing is read before the first refresh. */
export function createBrowser<Item extends ListItem, Choice extends string>(
  source: BrowserSource<Item, Choice>,
): Browser<Item> {
  const store = createStore<BrowserState<Item>, BrowserEvent<Item>>(
    initialBrowser(source.hasPreview),
    reduceBrowser,
  );
  const { getSnapshot } = store;
  const dispatch = (event: BrowserEvent<Item>): void => {
    store.dispatch(event);
    if (source.hasPreview === true) preview();
  };
  const preview = (): void => {
    const { list, details } = getSnapshot();
    const { selected } = listView(list);
    if (selected?.id === details?.item.id) return;
    store.dispatch({ type: 'previewed', item: selected });
    void noteFailure(readDetails());
  };
  const readList = async (): Promise<void> => {
    const { choice } = getSnapshot();
    const { items, total } = await source.list(source.choices[choice] ?? source.choices[0]);
    dispatch({ type: 'listed', choice, items, total: total ?? items.length });
  };
  let lastRead = 0;
  const readDetails = async (): Promise<void> => {
    const item = getSnapshot().details?.item;
    if (item === undefined) return;
    lastRead += 1;
    const read = lastRead;
    const text = await source.details(item);
    // A later read can finish first.
    if (read === lastRead) dispatch({ type: 'read', id: item.id, text });
  };
  const note = (text: string, isFault = false): void =>
    dispatch({ type: 'noted', note: { text, isFault } });
  const noteFailure = (work: Promise<void>): Promise<void> =>
    work.catch((error: unknown) => note(source.explain(error), true));
  let outage: BrowserState<Item>['note'];
  const noteOutage = (work: Promise<void>): Promise<void> =>
    work.then(
      () => {
        // A later note stays.
        const isShown = outage !== undefined && getSnapshot().note === outage;
        if (isShown) dispatch({ type: 'noted', note: undefined });
        outage = undefined;
      },
      (error: unknown) => {
        outage = { text: source.explain(error), isFault: true };
        dispatch({ type: 'noted', note: outage });
      },
    );
  const refresh = async (): Promise<void> => {
    await readList();
    await readDetails();
  };
  let currentAction: Promise<void> | undefined;
  const perform = (name: string, run: () => Promise<string>): void => {
    if (currentAction !== undefined) return;
    const act = async (): Promise<void> => {
      note(`${name} …`);
      const text = await run();
      await refresh();
      note(text);
    };
    currentAction = noteFailure(act()).finally(() => {
      currentAction = undefined;
    });
  };
  const handlers = {
    open: (item: Item) => {
      dispatch({ type: 'opened', item });
      void noteFailure(readDetails());
    },
    listNextChoice: () => {
      dispatch({ type: 'chosen', choice: (getSnapshot().choice + 1) % source.choices.length });
      void noteFailure(readList());
    },
    runAction: ({ name, run }: BrowserAction<Item>, item: Item) => perform(name, () => run(item)),
  };
  return {
    ...store,
    dispatch,
    choices: source.choices,
    refresh,
    readDetails: () => void noteFailure(readDetails()),
    open: handlers.open,
    keys: (options) => browserKeys(getSnapshot(), source, { ...options, ...handlers, dispatch }),
    perform,
    noteOutage,
    whenIdle: async () => currentAction,
  };
}
