import type { ReactElement } from 'react';
import { formatCount } from '../../engine/support/format.js';
import type { KeyBinding, KeyMap } from './key-map.js';
import { type ListEvent, type ListItem, type ListState, listView } from './list-state.js';
import type { Area } from './screen.js';
import { editOf, TextInput } from './text-input.js';

const MOVES = ['up', 'down', 'pageUp', 'pageDown'] as const;

type ListDispatch = (event: ListEvent<never>) => void;

/** The keys that move in a list while text is typed. */
export function typingMoves(dispatch: ListDispatch): readonly KeyBinding[] {
  return MOVES.map((to) => ({ on: [to], run: () => dispatch({ type: 'moved', to }) }));
}

/** Keys without another meaning edit the filter; Enter keeps it, Esc removes it. */
export function filterKeys(
  { filter }: Pick<ListState<ListItem>, 'filter'>,
  interrupt: KeyBinding,
  dispatch: ListDispatch,
  close: () => void,
): KeyMap {
  const clear = (): void => {
    dispatch({ type: 'unfiltered' });
    close();
  };
  return {
    bindings: [
      interrupt,
      { on: ['enter', 'tab'], run: close },
      { on: ['escape', ...(filter.text === '' ? ['backspace'] : [])], run: clear },
      ...typingMoves(dispatch),
    ],
    onOther: (input) => {
      const edit = editOf(input);
      if (edit !== undefined) dispatch({ type: 'filtered', edit });
    },
  };
}

/** The filter of a list while it is typed, with the number of entries that match. */
export function FilterInput<Item extends ListItem>({
  list,
  area,
  prompt = '/ ',
  about = '',
}: {
  readonly list: ListState<Item>;
  readonly area: Area;
  readonly prompt?: string;
  /** Before the number. */
  readonly about?: string;
}): ReactElement {
  const { matching } = listView(list);
  const hint = `${about}${formatCount(matching.length)} of ${formatCount(list.items.length)}`;
  return <TextInput prompt={prompt} line={list.filter} hint={hint} area={area} />;
}
