import type { BrowserAction, BrowserEvent, BrowserSource, BrowserState } from './browser-state.js';
import { barKey, type KeyBinding, type KeyMap, moveKeys, quitKey, withHelp } from './key-map.js';
import { type ListItem, listView } from './list-state.js';
import { filterKey, filterKeys } from './text-input.js';

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

type KeySource<Item extends ListItem> = Pick<
  BrowserSource<Item>,
  'actions' | 'choices' | 'hasPreview'
>;

/** What the keys of a browser call. */
interface BrowserHandlers<Item extends ListItem> extends BrowserKeysOptions {
  readonly dispatch: (event: BrowserEvent<Item>) => void;
  readonly open: (item: Item) => void;
  readonly listNextChoice: () => void;
  readonly runAction: (action: BrowserAction<Item>, item: Item) => void;
}

/** What the keys of a browser do in a state. */
export function browserKeys<Item extends ListItem>(
  state: BrowserState<Item>,
  source: KeySource<Item>,
  handlers: BrowserHandlers<Item>,
): KeyMap {
  const { dispatch, onStop, quit, extraKeys = [] } = handlers;
  const interrupt: KeyBinding = { on: ['ctrl-c'], run: () => onStop('ctrl-c') };
  if (state.pendingAction !== undefined) {
    return { bindings: [interrupt, ...questionKeys(state.pendingAction, source, handlers)] };
  }
  if (state.isFiltering) {
    return filterKeys(
      state.list,
      interrupt,
      (event) => dispatch({ type: 'list', event }),
      () => dispatch({ type: 'filtering', on: false }),
    );
  }
  const keys =
    state.details !== undefined && state.isOpen
      ? detailKeys(state.details.item, source, handlers)
      : listKeys(state, source, handlers);
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
  { actions }: KeySource<Item>,
  { dispatch, runAction }: BrowserHandlers<Item>,
): readonly KeyBinding[] {
  const dismiss = (): void => dispatch({ type: 'asked', action: undefined });
  const action = actions.find((one) => one.key === key);
  return [
    {
      on: ['y', 'Y', key],
      run: () => {
        dismiss();
        if (action !== undefined) runAction(action, item);
      },
    },
    { on: ['n', 'N', 'escape', 'q'], run: dismiss },
    ...(text === undefined ? [] : scrollKeys(dispatch)),
  ];
}

function scrollKeys<Item extends ListItem>(
  dispatch: BrowserHandlers<Item>['dispatch'],
): readonly KeyBinding[] {
  return moveKeys('scroll', (to) => dispatch({ type: 'pane', event: { type: 'scrolled', to } }));
}

function listKeys<Item extends ListItem>(
  state: BrowserState<Item>,
  { actions, choices, hasPreview }: KeySource<Item>,
  handlers: BrowserHandlers<Item>,
): readonly KeyBinding[] {
  const { dispatch, open, listNextChoice, noun } = handlers;
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
          ...actionKeys(selected, actions, handlers),
        ]),
    filterKey({ dropOrder: 4, run: () => dispatch({ type: 'filtering', on: true }) }),
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
    ...escapeKeys(state, handlers),
  ];
}

/** Esc removes the filter first. */
function escapeKeys<Item extends ListItem>(
  { list }: BrowserState<Item>,
  { dispatch, onStop, escapeEnds = true }: BrowserHandlers<Item>,
): readonly KeyBinding[] {
  if (list.filter.text !== '') {
    const run = (): void => dispatch({ type: 'list', event: { type: 'unfiltered' } });
    return [{ on: ['escape'], run, bar: { text: 'esc all', dropOrder: 3 } }];
  }
  return escapeEnds ? [{ on: ['escape'], run: () => onStop('q') }] : [];
}

/** Keys that scroll the details while the list has the others. */
function previewKeys<Item extends ListItem>(
  dispatch: BrowserHandlers<Item>['dispatch'],
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
  { actions }: KeySource<Item>,
  handlers: BrowserHandlers<Item>,
): readonly KeyBinding[] {
  const { dispatch } = handlers;
  return [
    ...scrollKeys(dispatch),
    {
      on: ['escape', 'left', 'h', 'backspace'],
      run: () => dispatch({ type: 'closed' }),
      help: ['esc', 'back to the list'],
      bar: { text: 'esc back', dropOrder: 7 },
    },
    ...actionKeys(item, actions, handlers),
  ];
}

/** The keys of the actions that apply to an entry. */
function actionKeys<Item extends ListItem>(
  item: Item,
  actions: readonly BrowserAction<Item>[],
  { dispatch, runAction }: BrowserHandlers<Item>,
): readonly KeyBinding[] {
  return actions
    .filter(({ appliesTo }) => appliesTo?.(item) ?? true)
    .map((action) => {
      const { key, question, changes } = action;
      const run = (): void => {
        if (question === undefined) {
          runAction(action, item);
          return;
        }
        const pending = { key, item, question: question(item), text: changes?.(item) };
        dispatch({ type: 'asked', action: pending });
      };
      return barKey({ ...action, dropOrder: 5, run });
    });
}
