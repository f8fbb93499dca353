import { isAscii } from '../../support/text.js';

/**
 * A text with the positions of its lines. Line strings are only created on demand, because most lines are
 * plain prose that is never inspected on its own. Lines are 0-based here.
 */
export type TextLines = Readonly<ReturnType<typeof textLines>>;

const CARRIAGE_RETURN = 13;
const SPACE = 32;

/** Finds the lines of a text, ended by `\n` or `\r\n`. @param ascii if already known */
export function textLines(text: string, ascii = isAscii(text)) {
  const count = lineCount(text);
  // Arrays of numbers would take three times the memory, and a text can consist of line ends.
  const starts = new Int32Array(count);
  const ends = new Int32Array(count);
  const marks = new Uint16Array(count);
  const pipes = new Uint8Array(count);
  let hasCarriageReturns = false;
  let nextPipe = indexOrEnd(text, '|', 0);
  for (let at = 0, start = 0; at < count; at++) {
    const lineEnd = indexOrEnd(text, '\n', start);
    const crlf = lineEnd > start && text.charCodeAt(lineEnd - 1) === CARRIAGE_RETURN;
    if (crlf) hasCarriageReturns = true;
    if (nextPipe < start) nextPipe = indexOrEnd(text, '|', start);
    starts[at] = start;
    ends[at] = crlf ? lineEnd - 1 : lineEnd;
    marks[at] = firstMark(text, start, lineEnd);
    pipes[at] = nextPipe < lineEnd ? 1 : 0;
    start = lineEnd + 1;
  }
  return {
    text,
    /** At least one; a final line end does not start another line. */
    count,
    /** Start and end of each line in `text`, in UTF-16 units, without its line end. */
    starts,
    ends,
    /** Code of each line's first non-blank character; 0 for a blank line. */
    marks,
    /** Whether the line contains a `|`: 1 or 0. */
    pipes,
    hasCarriageReturns,
    isAscii: ascii,
  };
}

function lineCount(text: string): number {
  const last = text.length - 1;
  let count = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < last; at = text.indexOf('\n', at + 1)) {
    count += 1;
  }
  return count;
}

function indexOrEnd(text: string, character: string, from: number): number {
  const index = text.indexOf(character, from);
  return index === -1 ? text.length : index;
}

/** Code of the first non-blank character; 0 for none. */
function firstMark(text: string, start: number, end: number): number {
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code !== SPACE && (code < 9 || code > CARRIAGE_RETURN)) return code;
  }
  return 0;
}

/** One line without its end; empty for an invalid number. */
export function lineAt(lines: TextLines, index: number): string {
  return lines.text.slice(lines.starts[index] ?? 0, lines.ends[index] ?? 0);
}

/** Lines `start` to `end` (excluded), joined by `\n` whatever their line ends. */
export function joinedLines(lines: TextLines, start: number, end: number): string {
  if (end <= start) return '';
  const text = lines.text.slice(lines.starts[start] ?? 0, lines.ends[end - 1] ?? 0);
  return lines.hasCarriageReturns ? text.replaceAll('\r\n', '\n') : text;
}

export function lineLength(lines: TextLines, index: number): number {
  return (lines.ends[index] ?? 0) - (lines.starts[index] ?? 0);
}
