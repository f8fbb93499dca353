import {
  barKey,
  type KeyBinding,
  type KeyMap,
  moveKeys,
  quitKey,
  withHelp,
} from '../../components/key-map.js';
import { type ListEvent, listView } from '../../components/list-state.js';
import { editOf, filterKey, filterKeys, typingMoves } from '../../components/text-input.js';
import type { HomeLine, HomeTarget } from './lines.js';
import { afterEnter, type PaletteEvent, type PaletteState } from './palette.js';
import type { HomeEvent, HomeState } from './state.js';

/** What the keys of the home screen call. */
export interface HomeHandlers {
  readonly dispatch: (event: HomeEvent) => void;
  readonly onOpen: (target: HomeTarget) => void;
  /** Opens the list of commands. */
  readonly onPalette: (agent: string | undefined) => void;
  readonly onRefresh: () => void;
  readonly onLeave: () => void;
}

/** What the keys do in a state. */
export function homeKeys(state: HomeState, handlers: HomeHandlers): KeyMap {
  const interrupt: KeyBinding = { on: ['ctrl-c'], run: handlers.onLeave };
  if (state.palette !== undefined) return paletteKeys(state.palette, interrupt, handlers);
  const changeList = (event: ListEvent<never>): void => handlers.dispatch({ type: 'list', event });
  if (state.list.isFiltering) return filterKeys(state.list, interrupt, changeList);
  const setHelp = (on: boolean): void => handlers.dispatch({ type: 'help', on });
  const quit = quitKey(handlers.onLeave, 'quit; in another screen: return here');
  const keys = withHelp(lineKeys(state, handlers, changeList), state.isHelpOpen, setHelp);
  return { bindings: [...keys, quit, interrupt] };
}

/** The agent of a line. */
function agentOf(line: HomeLine | undefined): string | undefined {
  return line?.target.kind === 'search' ? line.target.agent : undefined;
}

function lineKeys(
  state: HomeState,
  handlers: HomeHandlers,
  changeList: (event: ListEvent<never>) => void,
): readonly KeyBinding[] {
  const { onOpen, onPalette, onRefresh } = handlers;
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
            bar: { text: `⏎ ${selected.opens}`, dropOrder: 7 },
          } as const,
        ]),
    ...(agent === undefined
      ? []
      : [
          barKey({
            key: 'i',
            name: 'index',
            description: 'update its index',
            dropOrder: 5,
            run: () => onOpen({ kind: 'index', agent }),
          }),
          barKey({
            key: 'd',
            name: 'provider',
            description: 'test its provider',
            dropOrder: 4,
            run: () => onOpen({ kind: 'diagnosis', agent }),
          }),
          {
            on: ['c'],
            run: () => onOpen({ kind: 'candidates', agent }),
            help: ['c', 'browse what dreams may promote'],
          } as const,
        ]),
    filterKey(3, changeList),
    barKey({
      key: ':',
      name: 'commands',
      description: 'run any command of svc',
      dropOrder: 6,
      run: () => onPalette(agent),
    }),
    barKey({
      key: 'r',
      name: 'refresh',
      description: 'refresh now',
      dropOrder: 1,
      run: onRefresh,
    }),
    {
      on: ['escape'],
      run:
        state.list.filter.text === '' ? handlers.onLeave : () => changeList({ type: 'unfiltered' }),
    },
  ];
}

/** Esc goes one step back. */
function paletteKeys(palette: PaletteState, interrupt: KeyBinding, handlers: HomeHandlers): KeyMap {
  const { dispatch } = handlers;
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
      { on: ['enter'], run: () => enterPalette(palette, handlers) },
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
export function enterPalette(palette: PaletteState, { dispatch, onOpen }: HomeHandlers): void {
  const after = afterEnter(palette);
  if (after === undefined) return;
  if ('argv' in after) onOpen({ kind: 'command', argv: after.argv });
  else dispatch({ type: 'palette.changed', event: { type: 'asked', pending: after.pending } });
}
