import { splitGraphemes, takeColumns, takeLastColumns, textWidth } from '../fit.js';

/** A line of text being typed; the cursor is before the character at its offset. */
export interface EditedLine {
  readonly text: string;
  /** UTF-16 offset, always between two characters as a person counts them. */
  readonly cursor: number;
}

/** What can be done to the line. */
export type LineEdit =
  | { readonly type: 'insert'; readonly text: string }
  | { readonly type: 'left' | 'right' | 'wordLeft' | 'wordRight' | 'home' | 'end' }
  | {
      readonly type: 'erase' | 'eraseForward' | 'eraseWord' | 'eraseToStart' | 'eraseToEnd';
    };

export const EMPTY_LINE: EditedLine = { text: '', cursor: 0 };

/** A longer line was pasted by mistake. */
const MAX_LENGTH = 4096;

const LAST_WORD = /(?:(?<!\S)\S+|^)\s*$/u;

/** The line after an edit; pure, and the same line when nothing changes. */
export function editLine(line: EditedLine, edit: LineEdit): EditedLine {
  const before = line.text.slice(0, line.cursor);
  const after = line.text.slice(line.cursor);
  const moveTo = (cursor: number): EditedLine =>
    cursor === line.cursor ? line : { text: line.text, cursor };
  const replaceWith = (head: string, tail: string): EditedLine =>
    head + tail === line.text ? line : { text: head + tail, cursor: head.length };
  switch (edit.type) {
    case 'insert': {
      const room = MAX_LENGTH - line.text.length;
      return replaceWith(before + takeLength(oneLine(edit.text), room), after);
    }
    case 'left':
      return moveTo(before.length - lastLength(before));
    case 'right':
      return moveTo(line.cursor + firstLength(after));
    case 'wordLeft':
      return moveTo(before.replace(LAST_WORD, '').length);
    case 'wordRight':
      return moveTo(line.cursor + (/^\s*\S*/u.exec(after)?.[0].length ?? 0));
    case 'home':
      return moveTo(0);
    case 'end':
      return moveTo(line.text.length);
    case 'erase':
      return replaceWith(before.slice(0, before.length - lastLength(before)), after);
    case 'eraseForward':
      return replaceWith(before, after.slice(firstLength(after)));
    case 'eraseWord':
      return replaceWith(before.replace(LAST_WORD, ''), after);
    case 'eraseToStart':
      return replaceWith('', after);
    case 'eraseToEnd':
      return replaceWith(before, '');
  }
}

/** The part of a line that fits, with the cursor in sight: the line from its start, or what leads up to the cursor. */
export function visibleLine(line: EditedLine, columns: number) {
  const before = line.text.slice(0, line.cursor);
  const room = Math.max(1, columns - 1);
  if (textWidth(before) <= room) {
    return { text: takeColumns(line.text, columns), cursorColumn: textWidth(before) };
  }
  const head = takeLastColumns(before, room);
  const rest = line.text.slice(line.cursor);
  const cursorColumn = textWidth(head);
  return { text: head + takeColumns(rest, columns - cursorColumn), cursorColumn };
}

/** Pasted text as one line without control characters, which the terminal would act on. */
function oneLine(text: string): string {
  return text
    .replaceAll(/\p{Cc}+|[\u2028\u2029]+/gu, ' ')
    .replaceAll(/[\u202A-\u202E\u2066-\u2069]/gu, '');
}

function takeLength(text: string, length: number): string {
  if (text.length <= length) return text;
  let taken = '';
  for (const character of splitGraphemes(text.slice(0, length + 64))) {
    if (taken.length + character.length > length) break;
    taken += character;
  }
  return taken;
}

function firstLength(text: string): number {
  return splitGraphemes(text)[0]?.length ?? 0;
}

function lastLength(text: string): number {
  return splitGraphemes(text).at(-1)?.length ?? 0;
}
