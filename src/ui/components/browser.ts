import {
  type BrowserSource,
  type BrowserState,
  changeList,
  changePane,
  initialBrowser,
  replaceItems,
  unreadDetails,
} from './browser-state.js';
import { barKey, type KeyBinding, type KeyMap, moveKeys, quitKey, withHelp } from './key-map.js';
import { deselect, type ListEvent, type ListItem, listView } from './list-state.js';
import { PANE_TOP, type PaneEvent } from './pane.js';
import { createState, type ReadableStore, type StateStore } from './store.js';
import { filterKey, filterKeys } from './text-input.js';

/** A browser that follows its source. A key removes the note. */
export interface Browser<Item extends ListItem> extends ReadableStore<BrowserState<Item>> {
  readonly choices: readonly string[];
  /** Lists another choice with the next refresh. */
  readonly choose: (choice: number) => void;
  readonly changeList: (event: ListEvent<Item>) => void;
  readonly changePane: (event: PaneEvent) => void;
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
  const store = createState<BrowserState<Item>>(initialBrowser(source.hasPreview));
  const { getSnapshot } = store;
  const dispatch: typeof store.dispatch = (part) => {
    store.dispatch(part);
    if (source.hasPreview === true) preview();
  };
  const preview = (): void => {
    const { list, details, isOpen } = getSnapshot();
    const { selected } = listView(list);
    if (selected?.id === details?.item.id) return;
    store.dispatch({
      details: selected && unreadDetails(selected),
      isOpen: isOpen && selected !== undefined,
    });
    void noteFailure(readDetails());
  };
  const readList = async (): Promise<void> => {
    const { choice } = getSnapshot();
    const { items, total } = await source.list(source.choices[choice] ?? source.choices[0]);
    const state = getSnapshot();
    if (choice === state.choice) dispatch(replaceItems(state, items, total ?? items.length));
  };
  let lastRead = 0;
  const readDetails = async (): Promise<void> => {
    const item = getSnapshot().details?.item;
    if (item === undefined) return;
    lastRead += 1;
    const read = lastRead;
    const text = await source.details(item);
    const { details } = getSnapshot();
    // A later read can finish first.
    const isLast = read === lastRead && details?.item.id === item.id;
    if (isLast) dispatch({ details: { ...details, text } });
  };
  const note = (text: string, isFault = false): void => dispatch({ note: { text, isFault } });
  const noteFailure = (work: Promise<void>): Promise<void> =>
    work.catch((error: unknown) => note(source.explain(error), true));
  let outage: BrowserState<Item>['note'];
  const noteOutage = (work: Promise<void>): Promise<void> =>
    work.then(
      () => {
        // A later note stays.
        const isShown = outage !== undefined && getSnapshot().note === outage;
        if (isShown) dispatch({ note: undefined });
        outage = undefined;
      },
      (error: unknown) => {
        outage = { text: source.explain(error), isFault: true };
        dispatch({ note: outage });
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
    const { pendingAction, details: known } = getSnapshot();
    const details = known?.item.id === item.id ? known : unreadDetails(item);
    if (pendingAction === undefined) dispatch({ details, isOpen: true, note: undefined });
    void noteFailure(readDetails());
  };
  const choose = (choice: number): void =>
    dispatch({ choice, list: deselect(getSnapshot().list), note: undefined });
  const changes = {
    changeList: (event: ListEvent<Item>) => dispatch(changeList(getSnapshot(), event)),
    changePane: (event: PaneEvent) => dispatch(changePane(getSnapshot(), event)),
    open,
    perform,
  };

  return {
    ...store,
    ...changes,
    choices: source.choices,
    choose,
    refresh,
    readDetails: () => void noteFailure(readDetails()),
    keys: (options) =>
      browserKeys(getSnapshot(), {
        ...source,
        ...options,
        ...changes,
        dispatch,
        listNextChoice: () => {
          choose((getSnapshot().choice + 1) % source.choices.length);
          void noteFailure(readList());
        },
      }),
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
    Pick<Browser<Item>, 'changeList' | 'changePane' | 'open' | 'perform'>,
    Pick<StateStore<BrowserState<Item>>, 'dispatch'> {
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
    return filterKeys(state.list, interrupt, context.changeList);
  }
  const keys =
    state.details !== undefined && state.isOpen
      ? detailKeys(state.details, context)
      : listKeys(state, context);
  const setHelp = (isHelpOpen: boolean): void => dispatch({ isHelpOpen, note: undefined });
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
  { actions, dispatch, perform, changePane }: KeyContext<Item>,
): readonly KeyBinding[] {
  const dismiss = (): void => dispatch({ pendingAction: undefined, note: undefined });
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
    ...(text === undefined ? [] : scrollKeys(changePane)),
  ];
}

function scrollKeys(changePane: (event: PaneEvent) => void): readonly KeyBinding[] {
  return moveKeys('scroll', (to) => changePane({ type: 'scrolled', to }));
}

function listKeys<Item extends ListItem>(
  state: BrowserState<Item>,
  context: KeyContext<Item>,
): readonly KeyBinding[] {
  const { choices, hasPreview, changeList, changePane, open, listNextChoice, noun } = context;
  const { selected } = listView(state.list);
  const next = choices[(state.choice + 1) % choices.length];
  return [
    ...moveKeys('select', (to) => changeList({ type: 'moved', to })),
    ...(selected === undefined
      ? []
      : [
          {
            on: ['enter', 'right', 'l'],
            run: () => open(selected),
            help: ['enter', `open the ${noun}`],
            bar: { text: '⏎ open', dropOrder: hasPreview === true ? 2 : 7 },
          } as const,
          ...(hasPreview === true ? previewKeys(changePane) : []),
          ...actionKeys(selected, context),
        ]),
    filterKey(4, changeList),
    ...(choices.length === 1
      ? []
      : [barKey(`f ${next}`, `list ${choices.join(', ')}`, 2, listNextChoice)]),
    ...escapeKeys(state, context),
  ];
}

/** Esc removes the filter first. */
function escapeKeys<Item extends ListItem>(
  { list }: BrowserState<Item>,
  { changeList, onStop, escapeEnds = true }: KeyContext<Item>,
): readonly KeyBinding[] {
  if (list.filter.text !== '') {
    const run = (): void => changeList({ type: 'unfiltered' });
    return [{ on: ['escape'], run, bar: { text: 'esc all', dropOrder: 3 } }];
  }
  return escapeEnds ? [{ on: ['escape'], run: () => onStop('q') }] : [];
}

/** Keys that scroll the details while the list has the others. */
function previewKeys(changePane: (event: PaneEvent) => void): readonly KeyBinding[] {
  const scroll = (to: 'down' | 'up') => () => changePane({ type: 'scrolled', to });
  return [
    { on: ['K'], run: scroll('up'), help: ['K, J', 'scroll the details'] },
    { on: ['J'], run: scroll('down') },
  ];
}

function detailKeys<Item extends ListItem>(
  details: NonNullable<BrowserState<Item>['details']>,
  context: KeyContext<Item>,
): readonly KeyBinding[] {
  const { dispatch, changePane, hasPreview } = context;
  const closed = { details: hasPreview ? details : undefined, isOpen: false, note: undefined };
  return [
    ...scrollKeys(changePane),
    {
      on: ['escape', 'left', 'h', 'backspace'],
      run: () => dispatch(closed),
      help: ['esc', 'back to the list'],
      bar: { text: 'esc back', dropOrder: 7 },
    },
    ...actionKeys(details.item, context),
  ];
}

function actionKeys<Item extends ListItem>(
  item: Item,
  { actions, dispatch, perform }: KeyContext<Item>,
): readonly KeyBinding[] {
  return actions
    .filter(({ appliesTo }) => appliesTo?.(item) ?? true)
    .map((action) => {
      const { key, name, description, question, changes } = action;
      const run = (): void => {
        if (question === undefined) {
          perform(name, () => action.run(item));
          return;
        }
        const pending = { key, item, question: question(item), text: changes?.(item) };
        dispatch({ pendingAction: { ...pending, pane: PANE_TOP }, note: undefined });
      };
      return barKey(`${key} ${name}`, description, 5, run);
    });
}
