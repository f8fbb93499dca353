import { Text } from 'ink';
import type { ReactElement } from 'react';
import { fitEnd } from '../fit.js';
import { safeLine } from '../safe-text.js';
import { fittingKeys, keyLines } from '../screens/keys.js';
import type { KeyBinding } from './key-map.js';
import { Rows, useTheme } from './screen.js';

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
  const theme = useTheme();
  if (note !== undefined) {
    const line = fitEnd(safeLine(note.text), columns);
    return <Text wrap="truncate">{note.isFault ? theme.fault(line) : line}</Text>;
  }
  const keys = bindings.flatMap(({ bar }) => (bar === undefined ? [] : [{ ...bar, shown: true }]));
  return <Text wrap="truncate">{theme.dim(fittingKeys(keys, columns))}</Text>;
}

/** All keys of a screen that do something now, one per line. */
export function KeyHelp({
  bindings,
  columns,
}: {
  readonly bindings: readonly KeyBinding[];
  readonly columns: number;
}): ReactElement {
  const theme = useTheme();
  const keys = bindings.flatMap(({ help }) => (help === undefined ? [] : [help]));
  const keyColumns = Math.max(12, ...keys.map(([key]) => key.length + 2));
  return <Rows lines={keyLines(keys, theme, columns, keyColumns)} />;
}
