import { type KeyBinding, type KeyMap, moveKeys, withHelp } from '../../components/key-map.js';
import { type ListEvent, listView } from '../../components/list-state.js';
import { editOf, filterKeys, typingMoves } from '../../components/text-input.js';
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
  const quit: KeyBinding = {
    on: ['q'],
    run: orders.onLeave,
    help: ['q, ctrl-c', 'quit; in another screen: return here'],
    bar: { text: 'q quit', goes: 9 },
  };
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
  const shown = (on: string, does: string, bar: string, goes: number, run: () => void) => ({
    on: [on],
    run,
    help: [on, does] as const,
    bar: { text: `${on} ${bar}`, goes },
  });
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
          shown('i', 'update its index', 'index', 5, () => onOpen({ kind: 'index', agent })),
          shown('d', 'test its provider', 'provider', 4, () =>
            onOpen({ kind: 'diagnosis', agent }),
          ),
          {
            on: ['c'],
            run: () => onOpen({ kind: 'candidates', agent }),
            help: ['c', 'browse what dreams may promote'],
          } as const,
        ]),
    {
      on: ['/'],
      run: () => dispatch({ type: 'filtering', on: true }),
      help: ['/', 'filter: all words must occur; esc removes the filter'],
      bar: { text: '/ filter', goes: 3 },
    },
    shown(':', 'run any command of svc', 'commands', 6, () => orders.onPalette(agent)),
    shown('r', 'refresh now', 'refresh', 1, orders.onAgain),
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
  const { asked, list } = palette;
  const back = (): void => {
    if (asked === undefined) dispatch({ type: 'palette', palette: undefined });
    else change({ type: 'asked', asked: undefined });
  };
  const text = asked === undefined ? list.filter.text : asked.line.text;
  return {
    bindings: [
      interrupt,
      { on: ['enter'], run: () => enterPalette(palette, orders) },
      { on: ['escape', ...(text === '' ? ['backspace'] : [])], run: back },
      ...(asked === undefined ? typingMoves((event) => change({ type: 'list', event })) : []),
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
  else dispatch({ type: 'palette.changed', event: { type: 'asked', asked: after.asked } });
}
