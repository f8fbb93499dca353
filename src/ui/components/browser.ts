import {
  type BrowserEvent,
  type BrowserSource,
  type BrowserState,
  initialBrowser,
  reduceBrowser,
} from './browser-state.js';
import { barKey, type KeyBinding, type KeyMap, moveKeys, quitKey, withHelp } from './key-map.js';
import { type ListItem, listView } from './list-state.js';
import { createStore, type Store } from './store.js';
import { filterKey, filterKeys } from './text-input.js';

/** A browser that follows its source. */
export interface Browser<Item extends ListItem>
  extends Store<BrowserState<Item>, BrowserEvent<Item>> {
  readonly choices: readonly string[];
  /** Reads the list and the details again. @throws what the source throws */
  readonly refresh: () => Promise<void>;
  readonly readDetails: () => void;
  readonly open: (item: Item) => void;
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
  const open = (item: Item): void => {
    dispatch({ type: 'opened', item });
    void noteFailure(readDetails());
  };
  const listNextChoice = (): void => {
    dispatch({ type: 'chosen', choice: (getSnapshot().choice + 1) % source.choices.length });
    void noteFailure(readList());
  };

  return {
    ...store,
    dispatch,
    choices: source.choices,
    refresh,
    readDetails: () => void noteFailure(readDetails()),
    open,
    keys: (options) =>
      browserKeys(getSnapshot(), {
        ...source,
        ...options,
        dispatch,
        open,
        listNextChoice,
        perform,
      }),
    perform,
    noteOutage,
    whenIdle: async () => currentAction,
  };
}

/** What a screen decides about the keys of its browser. */
export interface BrowserKeysOptions {
  /** Called with the key that ends the screen. */
  readonly onStop: (key: 'ctrl-c' | 'q') => void;
  /** How the status bar and the help describe `q`; that it quits, if omitted. */
  readonly quit?: { readonly bar: string; readonly help: string };
  /** Whether Esc ends the screen where there is nothing else to close; true if omitted. */
  readonly escapeEnds?: boolean;
  /** What an entry is: `flow`. */
  readonly noun: string;
  /** Keys of the screen, next to those of the list or the details. */
  readonly extraKeys?: KeyMap['bindings'];
}

interface KeyContext<Item extends ListItem>
  extends BrowserKeysOptions,
    Pick<BrowserSource<Item>, 'actions' | 'choices' | 'hasPreview'>,
    Pick<Browser<Item>, 'dispatch' | 'open' | 'perform'> {
  readonly listNextChoice: () => void;
}

function browserKeys<Item extends ListItem>(
  state: BrowserState<Item>,
  context: KeyContext<Item>,
): KeyMap {
  const { dispatch, onStop, quit, extraKeys = [] } = context;
  const interrupt: KeyBinding = { on: ['ctrl-c'], run: () => onStop('ctrl-c') };
  if (state.pendingAction !== undefined) {
    return { bindings: [interrupt, ...questionKeys(state.pendingAction, context)] };
  }
  if (state.list.isFiltering) {
    return filterKeys(state.list, interrupt, (event) => dispatch({ type: 'list', event }));
  }
  const keys =
    state.details !== undefined && state.isOpen
      ? detailKeys(state.details.item, context)
      : listKeys(state, context);
  const setHelp = (on: boolean): void => dispatch({ type: 'help', on });
  return {
    bindings: [
      ...withHelp([...keys, ...extraKeys], state.isHelpOpen, setHelp),
      quitKey(() => onStop('q'), quit?.help, quit?.bar),
      interrupt,
    ],
  };
}

function questionKeys<Item extends ListItem>(
  { key, item, text }: NonNullable<BrowserState<Item>['pendingAction']>,
  { actions, dispatch, perform }: KeyContext<Item>,
): readonly KeyBinding[] {
  const dismiss = (): void => dispatch({ type: 'asked', action: undefined });
  const action = actions.find((one) => one.key === key);
  return [
    {
      on: ['y', 'Y', key],
      run: () => {
        dismiss();
        if (action !== undefined) perform(action.name, () => action.run(item));
      },
    },
    { on: ['n', 'N', 'escape', 'q'], run: dismiss },
    ...(text === undefined ? [] : scrollKeys(dispatch)),
  ];
}

function scrollKeys<Item extends ListItem>(
  dispatch: KeyContext<Item>['dispatch'],
): readonly KeyBinding[] {
  return moveKeys('scroll', (to) => dispatch({ type: 'pane', event: { type: 'scrolled', to } }));
}

function listKeys<Item extends ListItem>(
  state: BrowserState<Item>,
  context: KeyContext<Item>,
): readonly KeyBinding[] {
  const { choices, hasPreview, dispatch, open, listNextChoice, noun } = context;
  const { selected } = listView(state.list);
  const next = choices[(state.choice + 1) % choices.length];
  return [
    ...moveKeys('select', (to) => dispatch({ type: 'list', event: { type: 'moved', to } })),
    ...(selected === undefined
      ? []
      : [
          {
            on: ['enter', 'right', 'l'],
            run: () => open(selected),
            help: ['enter', `open the ${noun}`],
            bar: { text: '⏎ open', dropOrder: hasPreview === true ? 2 : 7 },
          } as const,
          ...(hasPreview === true ? previewKeys(dispatch) : []),
          ...actionKeys(selected, context),
        ]),
    filterKey(4, (event) => dispatch({ type: 'list', event })),
    ...(choices.length === 1
      ? []
      : [
          barKey({
            key: 'f',
            name: `${next}`,
            description: `list ${choices.join(', ')}`,
            dropOrder: 2,
            run: listNextChoice,
          }),
        ]),
    ...escapeKeys(state, context),
  ];
}

/** Esc removes the filter first. */
function escapeKeys<Item extends ListItem>(
  { list }: BrowserState<Item>,
  { dispatch, onStop, escapeEnds = true }: KeyContext<Item>,
): readonly KeyBinding[] {
  if (list.filter.text !== '') {
    const run = (): void => dispatch({ type: 'list', event: { type: 'unfiltered' } });
    return [{ on: ['escape'], run, bar: { text: 'esc all', dropOrder: 3 } }];
  }
  return escapeEnds ? [{ on: ['escape'], run: () => onStop('q') }] : [];
}

/** Keys that scroll the details while the list has the others. */
function previewKeys<Item extends ListItem>(
  dispatch: KeyContext<Item>['dispatch'],
): readonly KeyBinding[] {
  const scroll = (to: 'down' | 'up') => () =>
    dispatch({ type: 'pane', event: { type: 'scrolled', to } });
  return [
    { on: ['K'], run: scroll('up'), help: ['K, J', 'scroll the details'] },
    { on: ['J'], run: scroll('down') },
  ];
}

function detailKeys<Item extends ListItem>(
  item: Item,
  context: KeyContext<Item>,
): readonly KeyBinding[] {
  const { dispatch } = context;
  return [
    ...scrollKeys(dispatch),
    {
      on: ['escape', 'left', 'h', 'backspace'],
      run: () => dispatch({ type: 'closed' }),
      help: ['esc', 'back to the list'],
      bar: { text: 'esc back', dropOrder: 7 },
    },
    ...actionKeys(item, context),
  ];
}

function actionKeys<Item extends ListItem>(
  item: Item,
  { actions, dispatch, perform }: KeyContext<Item>,
): readonly KeyBinding[] {
  return actions
    .filter(({ appliesTo }) => appliesTo?.(item) ?? true)
    .map((action) => {
      const { key, question, changes } = action;
      const run = (): void => {
        if (question === undefined) {
          perform(action.name, () => action.run(item));
          return;
        }
        const pending = { key, item, question: question(item), text: changes?.(item) };
        dispatch({ type: 'asked', action: pending });
      };
      return barKey({ ...action, dropOrder: 5, run });
    });
}
