import type { BrowserAction, BrowserEvent, BrowserSource, BrowserState } from './browser-state.js';
import { type KeyBinding, type KeyMap, listedKey, moveKeys, quitKey, withHelp } from './key-map.js';
import { type ListItem, listView } from './list-state.js';
import { FILTER_HELP, filterKeys } from './text-input.js';

/** Keys that the screen around a browser handles. */
export interface BrowserKeysOptions {
  /** Called with the key that ends the screen. */
  readonly onStop: (key: 'ctrl-c' | 'q') => void;
  /** In words; default: it quits. */
  readonly quit?: { readonly bar: string; readonly help: string };
  /** Whether Esc ends the screen where there is nothing else to close; true if omitted. */
  readonly escapeEnds?: boolean;
  /** One entry, and several. */
  readonly noun: string;
  /** More keys of the list. */
  readonly more?: KeyMap['bindings'];
}

type BrowserOffer<Item extends ListItem> = Pick<
  BrowserSource<Item>,
  'actions' | 'choices' | 'hasPreview'
>;

/** What keys of a browser cause. */
interface BrowserOrders<Item extends ListItem> extends BrowserKeysOptions {
  readonly dispatch: (event: BrowserEvent<Item>) => void;
  readonly open: (item: Item) => void;
  /** Lists the next choice. */
  readonly choose: () => void;
  readonly act: (action: BrowserAction<Item>, item: Item) => void;
}

/** What the keys of a browser do in a state. */
export function browserKeys<Item extends ListItem>(
  state: BrowserState<Item>,
  source: BrowserOffer<Item>,
  orders: BrowserOrders<Item>,
): KeyMap {
  const interrupt: KeyBinding = { on: ['ctrl-c'], run: () => orders.onStop('ctrl-c') };
  if (state.pendingAction !== undefined) {
    return { bindings: [interrupt, ...questionKeys(state.pendingAction, source, orders)] };
  }
  if (state.isFiltering) {
    return filterKeys(
      state.list,
      interrupt,
      (event) => orders.dispatch({ type: 'list', event }),
      () => orders.dispatch({ type: 'filtering', on: false }),
    );
  }
  const quit = quitKey(() => orders.onStop('q'), orders.quit?.help, orders.quit?.bar);
  const keys =
    state.details !== undefined && state.isOpen
      ? detailKeys(state.details.item, source, orders)
      : listKeys(state, source, orders);
  const setHelp = (on: boolean): void => orders.dispatch({ type: 'help', on });
  const help = withHelp([...keys, ...(orders.more ?? [])], state.isHelp, setHelp);
  return { bindings: [...help, quit, interrupt] };
}

function questionKeys<Item extends ListItem>(
  { key, item, text }: NonNullable<BrowserState<Item>['pendingAction']>,
  { actions }: BrowserOffer<Item>,
  { dispatch, act }: BrowserOrders<Item>,
): readonly KeyBinding[] {
  const dismiss = (): void => dispatch({ type: 'asked', action: undefined });
  const action = actions.find((one) => one.key === key);
  return [
    {
      on: ['y', 'Y', key],
      run: () => {
        dismiss();
        if (action !== undefined) act(action, item);
      },
    },
    { on: ['n', 'N', 'escape', 'q'], run: dismiss },
    ...(text === undefined ? [] : scrollKeys(dispatch)),
  ];
}

function scrollKeys<Item extends ListItem>(
  dispatch: BrowserOrders<Item>['dispatch'],
): readonly KeyBinding[] {
  return moveKeys('scroll', (to) => dispatch({ type: 'pane', event: { type: 'scrolled', to } }));
}

function listKeys<Item extends ListItem>(
  state: BrowserState<Item>,
  { actions, choices, hasPreview }: BrowserOffer<Item>,
  orders: BrowserOrders<Item>,
): readonly KeyBinding[] {
  const { dispatch, open, choose, noun } = orders;
  const { selected } = listView(state.list);
  const isFiltered = state.list.filter.text !== '';
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
            bar: { text: '⏎ open', goes: hasPreview === true ? 2 : 7 },
          } as const,
          ...(hasPreview === true ? previewKeys(dispatch) : []),
          ...actionKeys(selected, actions, orders),
        ]),
    listedKey('/', 'filter', FILTER_HELP, 4, () => dispatch({ type: 'filtering', on: true })),
    ...(choices.length === 1
      ? []
      : [listedKey('f', `${next}`, `list ${choices.join(', ')}`, 2, choose)]),
    ...(isFiltered
      ? [
          {
            on: ['escape'],
            run: () => dispatch({ type: 'list', event: { type: 'unfiltered' } }),
            bar: { text: 'esc all', goes: 3 },
          } as const,
        ]
      : orders.escapeEnds !== false
        ? [{ on: ['escape'], run: () => orders.onStop('q') } as const]
        : []),
  ];
}

/** Scroll the details while the list has the other keys. */
function previewKeys<Item extends ListItem>(
  dispatch: BrowserOrders<Item>['dispatch'],
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
  { actions }: BrowserOffer<Item>,
  orders: BrowserOrders<Item>,
): readonly KeyBinding[] {
  const { dispatch } = orders;
  return [
    ...scrollKeys(dispatch),
    {
      on: ['escape', 'left', 'h', 'backspace'],
      run: () => dispatch({ type: 'closed' }),
      help: ['esc', 'back to the list'],
      bar: { text: 'esc back', goes: 7 },
    },
    ...actionKeys(item, actions, orders),
  ];
}

/** The actions that apply to an entry. */
function actionKeys<Item extends ListItem>(
  item: Item,
  actions: readonly BrowserAction<Item>[],
  { dispatch, act }: BrowserOrders<Item>,
): readonly KeyBinding[] {
  return actions
    .filter(({ applies }) => applies?.(item) ?? true)
    .map((action) => {
      const { key, name, does, question, shows } = action;
      return listedKey(key, name, does, 5, () => {
        if (question === undefined) return act(action, item);
        const pending = { key, item, question: question(item), text: shows?.(item) };
        dispatch({ type: 'asked', action: pending });
      });
    });
}
