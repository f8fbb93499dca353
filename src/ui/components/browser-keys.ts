import type { BrowserAction, BrowserEvent, BrowserSource, BrowserState } from './browser-state.js';
import { type KeyBinding, type KeyMap, moveKeys, withHelp } from './key-map.js';
import { type ListItem, listView } from './list-state.js';
import { filterKeys } from './text-input.js';

/** Keys that the screen around a browser handles. */
export interface BrowserKeysOptions {
  /** In words; called with the key that ends the screen. */
  readonly quit: { readonly bar: string; readonly help: string };
  readonly onStop: (key: 'ctrl-c' | 'q') => void;
  /** Whether Esc ends the screen where there is nothing else to close. */
  readonly escapeEnds: boolean;
  /** One entry, and several. */
  readonly noun: string;
  /** More keys of the list. */
  readonly more?: KeyMap['bindings'];
}

type BrowserOffer<Item extends ListItem> = Pick<
  BrowserSource<Item>,
  'actions' | 'choices' | 'previews'
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
  if (state.asked !== undefined) {
    return { bindings: [interrupt, ...questionKeys(state.asked, source, orders)] };
  }
  if (state.isFiltering) {
    return filterKeys(
      state.list,
      interrupt,
      (event) => orders.dispatch({ type: 'list', event }),
      () => orders.dispatch({ type: 'filtering', on: false }),
    );
  }
  const quit: KeyBinding = {
    on: ['q'],
    run: () => orders.onStop('q'),
    help: ['q, ctrl-c', orders.quit.help],
    bar: { text: orders.quit.bar, goes: 9 },
  };
  const keys =
    state.shown !== undefined && state.isOpen
      ? detailKeys(state.shown.item, source, orders)
      : listKeys(state, source, orders);
  const setHelp = (on: boolean): void => orders.dispatch({ type: 'help', on });
  const help = withHelp([...keys, ...(orders.more ?? [])], state.isHelp, setHelp);
  return { bindings: [...help, quit, interrupt] };
}

function questionKeys<Item extends ListItem>(
  { key, item, text }: NonNullable<BrowserState<Item>['asked']>,
  { actions }: BrowserOffer<Item>,
  { dispatch, act }: BrowserOrders<Item>,
): readonly KeyBinding[] {
  const answer = (): void => dispatch({ type: 'asked', action: undefined });
  const action = actions.find((one) => one.key === key);
  return [
    {
      on: ['y', 'Y', key],
      run: () => {
        answer();
        if (action !== undefined) act(action, item);
      },
    },
    { on: ['n', 'N', 'escape', 'q'], run: answer },
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
  { actions, choices, previews }: BrowserOffer<Item>,
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
            bar: { text: '⏎ open', goes: previews === true ? 2 : 7 },
          } as const,
          ...(previews === true ? previewKeys(dispatch) : []),
          ...actionKeys(selected, actions, orders),
        ]),
    {
      on: ['/'],
      run: () => dispatch({ type: 'filtering', on: true }),
      help: ['/', 'filter: all words must occur; esc removes the filter'],
      bar: { text: '/ filter', goes: 4 },
    },
    ...(choices.length === 1
      ? []
      : [
          {
            on: ['f'],
            run: choose,
            help: ['f', `list ${choices.join(', ')}`],
            bar: { text: `f ${next}`, goes: 2 },
          } as const,
        ]),
    ...(isFiltered
      ? [
          {
            on: ['escape'],
            run: () => dispatch({ type: 'list', event: { type: 'unfiltered' } }),
            bar: { text: 'esc all', goes: 3 },
          } as const,
        ]
      : orders.escapeEnds
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
    .filter(({ applies }) => applies(item))
    .map((action): KeyBinding => {
      const { key, name, does, question, shows } = action;
      const ask = (words: string): void => {
        const asked = { key, item, question: words, text: shows?.(item) };
        dispatch({ type: 'asked', action: asked });
      };
      return {
        on: [key],
        run: () => (question === undefined ? act(action, item) : ask(question(item))),
        help: [key, does],
        bar: { text: `${key} ${name}`, goes: 5 },
      };
    });
}
