import {
  barKey,
  type KeyBinding,
  type KeyMap,
  moveKeys,
  quitKey,
  withHelp,
} from '../../components/key-map.js';
import { type ListEvent, listView } from '../../components/list-state.js';
import type { StateStore } from '../../components/store.js';
import { editOf, filterKey, filterKeys, typingMoves } from '../../components/text-input.js';
import type { HomeLine, HomeTarget } from './lines.js';
import { afterEnter, changeCommands, type PaletteState, typeInPalette } from './palette.js';
import { changeLines, type HomeState } from './state.js';

/** What the keys of the home screen call. */
export interface HomeHandlers {
  readonly dispatch: StateStore<HomeState>['dispatch'];
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
  const changeList = (event: ListEvent<never>): void =>
    handlers.dispatch(changeLines(state, event));
  if (state.list.isFiltering) return filterKeys(state.list, interrupt, changeList);
  const setHelp = (isHelpOpen: boolean): void => handlers.dispatch({ isHelpOpen });
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
          barKey('i index', 'update its index', 5, () => onOpen({ kind: 'index', agent })),
          barKey('d provider', 'test its provider', 4, () => onOpen({ kind: 'diagnosis', agent })),
          {
            on: ['c'],
            run: () => onOpen({ kind: 'candidates', agent }),
            help: ['c', 'browse what dreams may promote'],
          } as const,
        ]),
    filterKey(3, changeList),
    barKey(': commands', 'run any command of svc', 6, () => onPalette(agent)),
    barKey('r refresh', 'refresh now', 1, onRefresh),
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
  const { pending, list } = palette;
  const back = (): void => {
    if (pending === undefined) dispatch({ palette: undefined, note: undefined });
    else dispatch({ palette: { ...palette, pending: undefined } });
  };
  const text = pending === undefined ? list.filter.text : pending.line.text;
  return {
    bindings: [
      interrupt,
      { on: ['enter'], run: () => enterPalette(palette, handlers) },
      { on: ['escape', ...(text === '' ? ['backspace'] : [])], run: back },
      ...(pending === undefined
        ? typingMoves((event) => dispatch({ palette: changeCommands(palette, event) }))
        : []),
    ],
    onOther: (input) => {
      const edit = editOf(input);
      if (edit !== undefined) dispatch({ palette: typeInPalette(palette, edit) });
    },
  };
}

/** Asks for the next value, or runs the command. */
export function enterPalette(palette: PaletteState, { dispatch, onOpen }: HomeHandlers): void {
  const after = afterEnter(palette);
  if (after === undefined) return;
  if ('argv' in after) onOpen({ kind: 'command', argv: after.argv });
  else dispatch({ palette: { ...palette, pending: after.pending } });
}
