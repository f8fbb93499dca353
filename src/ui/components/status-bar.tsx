import { Text } from 'ink';
import { type ReactElement, useReducer } from 'react';
import { fitEnd, padEnd, textWidth, wrapText } from '../fit.js';
import { safeLine } from '../safe-text.js';
import type { Style } from '../style.js';
import type { Area } from '../terminal/size.js';
import { type KeyBinding, moveKeys, useKeyMap } from './key-map.js';
import { PANE_TOP, Pane, reducePane } from './pane.js';
import { useStyle } from './screen.js';

/** The result of an action, or a problem. */
export interface Note {
  /** May be untrusted. */
  readonly text: string;
  readonly isFault: boolean;
}

/** The last line of a screen: a message, or the keys that do something now, as many as fit. */
export function StatusBar({
  bindings,
  note,
  columns,
}: {
  readonly bindings: readonly KeyBinding[];
  readonly note?: Note | undefined;
  readonly columns: number;
}): ReactElement {
  const style = useStyle();
  if (note !== undefined) {
    const line = fitEnd(safeLine(note.text), columns);
    return <Text wrap="truncate">{note.isFault ? style.fault(line) : line}</Text>;
  }
  const keys = bindings.flatMap(({ bar }) => bar ?? []);
  return <Text wrap="truncate">{style.dim(fittingKeys(keys, columns))}</Text>;
}

/** All keys of a screen that do something now, one per line; can be scrolled. */
export function KeyHelp({
  bindings,
  area,
}: {
  readonly bindings: readonly KeyBinding[];
  readonly area: Area;
}): ReactElement {
  const style = useStyle();
  const [pane, dispatch] = useReducer(reducePane, PANE_TOP);
  useKeyMap(() => ({ bindings: moveKeys('scroll', (to) => dispatch({ type: 'scrolled', to })) }));
  const keys = bindings.flatMap(({ help }) => (help === undefined ? [] : [help]));
  const text = (columns: number): readonly string[] => keyLines(keys, style, columns);
  return <Pane state={pane} dispatch={dispatch} text={text} area={area} />;
}

/** As many texts of keys as fit in a line. */
export function fittingKeys(
  keys: readonly NonNullable<KeyBinding['bar']>[],
  columns: number,
): string {
  let kept = keys;
  while (kept.length > 0) {
    const line = kept.map(({ text }) => text).join('   ');
    if (textWidth(line) <= columns) return line;
    const lowest = Math.min(...kept.map(({ dropOrder }) => dropOrder));
    kept = kept.filter(({ dropOrder }) => dropOrder > lowest);
  }
  return '';
}

/** Room for `q, ctrl-c` and a gap. */
const KEY_COLUMNS = 12;
/** Words are cut rather than broken into narrower columns. */
const LEAST_WORDS = 12;

/** The help: each key with its description, wrapped if needed. */
export function keyLines(
  keys: readonly NonNullable<KeyBinding['help']>[],
  style: Style,
  columns: number,
): readonly string[] {
  const keyColumns = Math.max(KEY_COLUMNS, ...keys.map(([key]) => key.length + 2));
  return keys.flatMap(([key, description]) =>
    wrapText(description, Math.max(LEAST_WORDS, columns - keyColumns)).map((words, row) => {
      const line = fitEnd(padEnd(row === 0 ? key : '', keyColumns) + words, columns);
      return style.bold(line.slice(0, keyColumns)) + line.slice(keyColumns);
    }),
  );
}
