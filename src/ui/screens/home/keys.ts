import {
  type KeyBinding,
  type KeyMap,
  listedKey,
  moveKeys,
  quitKey,
  withHelp,
} from '../../components/key-map.js';
import { type ListEvent, listView } from '../../components/list-state.js';
import { editOf, FILTER_HELP, filterKeys, typingMoves } from '../../components/text-input.js';
import type { HomeLine, HomeTarget } from './lines.js';
import { afterEnter, type PaletteEvent, type PaletteState } from './palette.js';
import type { HomeEvent, HomeState } from './state.js';

/** What keys of the home screen cause. */
export interface HomeOrders {
  readonly dispatch: (event: HomeEvent) => void;
  readonly onOpen: (target: HomeTarget) => void;
  /** Opens the list of commands. */
  readonly onPalette: (agent: string | undefined) => void;
  readonly onAgain: () => void;
  readonly onLeave: () => void;
}

/** What the keys do in a state. */
export function homeKeys(state: HomeState, orders: HomeOrders): KeyMap {
  const interrupt: KeyBinding = { on: ['ctrl-c'], run: orders.onLeave };
  if (state.palette !== undefined) return paletteKeys(state.palette, interrupt, orders);
  const changeList = (event: ListEvent<never>): void => orders.dispatch({ type: 'list', event });
  if (state.isFiltering) {
    const close = (): void => orders.dispatch({ type: 'filtering', on: false });
    return filterKeys(state.list, interrupt, changeList, close);
  }
  const setHelp = (on: boolean): void => orders.dispatch({ type: 'help', on });
  const quit = quitKey(orders.onLeave, 'quit; in another screen: return here');
  const keys = withHelp(lineKeys(state, orders, changeList), state.help, setHelp);
  return { bindings: [...keys, quit, interrupt] };
}

/** The agent of a line. */
function agentOf(line: HomeLine | undefined): string | undefined {
  return line?.target.kind === 'search' ? line.target.agent : undefined;
}

function lineKeys(
  state: HomeState,
  orders: HomeOrders,
  changeList: (event: ListEvent<never>) => void,
): readonly KeyBinding[] {
  const { dispatch, onOpen } = orders;
  const { selected } = listView(state.list);
  const agent = agentOf(selected);
  return [
    ...moveKeys('choose', (to) => changeList({ type: 'moved', to })),
    ...(selected === undefined
      ? []
      : [
          {
            on: ['enter'],
            run: () => onOpen(selected.target),
            help: ['enter', 'open its screen'],
            bar: { text: `⏎ ${selected.opens}`, goes: 7 },
          } as const,
        ]),
    ...(agent === undefined
      ? []
      : [
          listedKey('i', 'index', 'update its index', 5, () => onOpen({ kind: 'index', agent })),
          listedKey('d', 'provider', 'test its provider', 4, () =>
            onOpen({ kind: 'diagnosis', agent }),
          ),
          {
            on: ['c'],
            run: () => onOpen({ kind: 'candidates', agent }),
            help: ['c', 'browse what dreams may promote'],
          } as const,
        ]),
    listedKey('/', 'filter', FILTER_HELP, 3, () => dispatch({ type: 'filtering', on: true })),
    listedKey(':', 'commands', 'run any command of svc', 6, () => orders.onPalette(agent)),
    listedKey('r', 'refresh', 'refresh now', 1, orders.onAgain),
    {
      on: ['escape'],
      run:
        state.list.filter.text === '' ? orders.onLeave : () => changeList({ type: 'unfiltered' }),
    },
  ];
}

/** Esc goes one step back. */
function paletteKeys(palette: PaletteState, interrupt: KeyBinding, orders: HomeOrders): KeyMap {
  const { dispatch } = orders;
  const change = (event: PaletteEvent): void => dispatch({ type: 'palette.changed', event });
  const { pending, list } = palette;
  const back = (): void => {
    if (pending === undefined) dispatch({ type: 'palette', palette: undefined });
    else change({ type: 'asked', pending: undefined });
  };
  const text = pending === undefined ? list.filter.text : pending.line.text;
  return {
    bindings: [
      interrupt,
      { on: ['enter'], run: () => enterPalette(palette, orders) },
      { on: ['escape', ...(text === '' ? ['backspace'] : [])], run: back },
      ...(pending === undefined ? typingMoves((event) => change({ type: 'list', event })) : []),
    ],
    onOther: (input) => {
      const edit = editOf(input);
      if (edit !== undefined) change({ type: 'typed', edit });
    },
  };
}

/** Asks for the next value, or runs the command. */
export function enterPalette(palette: PaletteState, { dispatch, onOpen }: HomeOrders): void {
  const after = afterEnter(palette);
  if (after === undefined) return;
  if ('argv' in after) onOpen({ kind: 'command', argv: after.argv });
  else dispatch({ type: 'palette.changed', event: { type: 'asked', pending: after.pending } });
}
