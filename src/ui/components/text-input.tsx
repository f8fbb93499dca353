import { Text, useCursor } from 'ink';
import type { ReactElement } from 'react';
import { fitEnd, spread } from '../fit.js';
import type { OtherInput } from './key-map.js';
import { type EditedLine, type LineEdit, windowLine } from './line-editor.js';
import { type Area, useTheme } from './screen.js';

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
  const theme = useTheme();
  const { setCursorPosition } = useCursor();
  const { shown, cursorColumn } = windowLine(line, Math.max(1, area.columns - prompt.length));
  setCursorPosition({ x: area.x + prompt.length + cursorColumn, y: area.y });
  const left = theme.accent(fitEnd(prompt, area.columns)) + shown;
  return <Text wrap="truncate">{spread(left, theme.dim(hint), area.columns)}</Text>;
}

const EDITS: Readonly<Record<string, LineEdit>> = {
  left: { type: 'left' },
  right: { type: 'right' },
  home: { type: 'home' },
  end: { type: 'end' },
  backspace: { type: 'erase' },
  delete: { type: 'eraseForward' },
  'alt-b': { type: 'wordLeft' },
  'alt-f': { type: 'wordRight' },
  'alt-left': { type: 'wordLeft' },
  'alt-right': { type: 'wordRight' },
  'alt-backspace': { type: 'eraseWord' },
  'ctrl-left': { type: 'wordLeft' },
  'ctrl-right': { type: 'wordRight' },
  'ctrl-a': { type: 'home' },
  'ctrl-b': { type: 'left' },
  'ctrl-d': { type: 'eraseForward' },
  'ctrl-e': { type: 'end' },
  'ctrl-f': { type: 'right' },
  'ctrl-k': { type: 'eraseToEnd' },
  'ctrl-u': { type: 'eraseToStart' },
  'ctrl-w': { type: 'eraseWord' },
};

/** What input does to the line that is being typed. */
export function editOf(input: OtherInput): LineEdit | undefined {
  return input.type === 'key' ? EDITS[input.name] : { type: 'insert', text: input.text };
}
