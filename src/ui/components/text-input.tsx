import { Text, useCursor } from 'ink';
import type { ReactElement } from 'react';
import { formatCount } from '../../engine/support/format.js';
import { fitEnd, spread } from '../fit.js';
import type { KeyName } from '../terminal/input-decoder.js';
import type { Area } from '../terminal/size.js';
import { barKey, type KeyBinding, type KeyMap, type OtherInput } from './key-map.js';
import { type EditedLine, type LineEdit, visibleLine } from './line-editor.js';
import { type ListEvent, type ListItem, type ListState, listView } from './list-state.js';
import { useStyle } from './rows.js';

/** A line of text that is being typed, with the cursor of the terminal in it. */
export function TextInput({
  prompt,
  line,
  hint,
  area,
}: {
  readonly prompt: string;
  readonly line: EditedLine;
  /** At the right, if there is room. */
  readonly hint: string;
  readonly area: Area;
}): ReactElement {
  const style = useStyle();
  const { setCursorPosition } = useCursor();
  const { text, cursorColumn } = visibleLine(line, Math.max(1, area.columns - prompt.length));
  setCursorPosition({ x: area.x + prompt.length + cursorColumn, y: area.y });
  const left = style.accent(fitEnd(prompt, area.columns)) + text;
  return <Text wrap="truncate">{spread(left, style.dim(hint), area.columns)}</Text>;
}

const EDITS = [
  [['left', 'ctrl-b'], 'left'],
  [['right', 'ctrl-f'], 'right'],
  [['alt-b', 'alt-left', 'ctrl-left'], 'wordLeft'],
  [['alt-f', 'alt-right', 'ctrl-right'], 'wordRight'],
  [['home', 'ctrl-a'], 'home'],
  [['end', 'ctrl-e'], 'end'],
  [['backspace'], 'erase'],
  [['delete', 'ctrl-d'], 'eraseForward'],
  [['alt-backspace', 'ctrl-w'], 'eraseWord'],
  [['ctrl-u'], 'eraseToStart'],
  [['ctrl-k'], 'eraseToEnd'],
] as const satisfies readonly (readonly [readonly KeyName[], LineEdit['type']])[];

/** What input does to the line that is being typed. */
export function editOf(input: OtherInput): LineEdit | undefined {
  if (input.type !== 'key') return { type: 'insert', text: input.text };
  const [, type] = EDITS.find(([names]) => names.some((name) => name === input.name)) ?? [];
  return type && { type };
}

const MOVES = ['up', 'down', 'pageUp', 'pageDown'] as const;

type ListDispatch = (event: ListEvent<never>) => void;

/** The keys that move in a list while text is typed: letters are text then. */
export function typingMoves(dispatch: ListDispatch): readonly KeyBinding[] {
  return MOVES.map((to) => ({ on: [to], run: () => dispatch({ type: 'moved', to }) }));
}

/** The key that starts filtering. */
export function filterKey(dropOrder: number, dispatch: ListDispatch): KeyBinding {
  const description = 'filter: all words must occur; esc removes the filter';
  const run = (): void => dispatch({ type: 'filtering', on: true });
  return barKey('/ filter', description, dropOrder, run);
}

/** Keys without another meaning edit the filter; Enter keeps it, Esc removes it. */
export function filterKeys(
  { filter }: Pick<ListState<ListItem>, 'filter'>,
  interrupt: KeyBinding,
  dispatch: ListDispatch,
): KeyMap {
  return {
    bindings: [
      interrupt,
      { on: ['enter', 'tab'], run: () => dispatch({ type: 'filtering', on: false }) },
      {
        on: ['escape', ...(filter.text === '' ? ['backspace'] : [])],
        run: () => dispatch({ type: 'unfiltered' }),
      },
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
  hintPrefix = '',
}: {
  readonly list: ListState<Item>;
  readonly area: Area;
  readonly prompt?: string;
  /** Before the number of matching entries. */
  readonly hintPrefix?: string;
}): ReactElement {
  const { matching } = listView(list);
  const hint = `${hintPrefix}${formatCount(matching.length)} of ${formatCount(list.items.length)}`;
  return <TextInput prompt={prompt} line={list.filter} hint={hint} area={area} />;
}
