import { isAscii } from '../ascii.js';

/**
 * A text with its lines marked out. Lines are made into strings only when somebody wants one: of a
 * note's lines most are plain prose that nothing looks at one by one. Lines are counted from 0 here.
 */
export interface TextLines {
  readonly text: string;
  /** At least one; what follows a final line end is no line. */
  readonly count: number;
  /** Where each line begins and ends in `text`, in UTF-16 units, its line end left out. */
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  /** The code of each line's first character that is no blank; 0 for a blank line. */
  readonly marks: readonly number[];
  /** Whether there is a `|` in the line. */
  readonly pipes: readonly boolean[];
  readonly hasCarriageReturns: boolean;
  readonly isAscii: boolean;
}

const CARRIAGE_RETURN = 13;
const SPACE = 32;

/**
 * Finds the lines of a text, ended by `\n` or `\r\n` as editors number them.
 *
 * @param ascii when known already; found out otherwise
 */
export function textLines(text: string, ascii = isAscii(text)): TextLines {
  const starts: number[] = [];
  const ends: number[] = [];
  const marks: number[] = [];
  const pipes: boolean[] = [];
  let hasCarriageReturns = false;
  let nextPipe = indexOrEnd(text, '|', 0);
  for (let start = 0; start < text.length || starts.length === 0; ) {
    const lineEnd = indexOrEnd(text, '\n', start);
    const crlf = lineEnd > start && text.charCodeAt(lineEnd - 1) === CARRIAGE_RETURN;
    if (crlf) hasCarriageReturns = true;
    if (nextPipe < start) nextPipe = indexOrEnd(text, '|', start);
    starts.push(start);
    ends.push(crlf ? lineEnd - 1 : lineEnd);
    marks.push(firstMark(text, start, lineEnd));
    pipes.push(nextPipe < lineEnd);
    start = lineEnd + 1;
  }
  return {
    text,
    count: starts.length,
    starts,
    ends,
    marks,
    pipes,
    hasCarriageReturns,
    isAscii: ascii,
  };
}

function indexOrEnd(text: string, character: string, from: number): number {
  const index = text.indexOf(character, from);
  return index === -1 ? text.length : index;
}

/** The code of the first character that is no blank; 0 when there is none. */
function firstMark(text: string, start: number, end: number): number {
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code !== SPACE && (code < 9 || code > CARRIAGE_RETURN)) return code;
  }
  return 0;
}

/** One line without its end; empty for a number that there is none of. */
export function lineAt(lines: TextLines, index: number): string {
  return lines.text.slice(lines.starts[index] ?? 0, lines.ends[index] ?? 0);
}

/** Lines `start` to `end` (excluded) as one text, joined by `\n` whatever they end with. */
export function joinedLines(lines: TextLines, start: number, end: number): string {
  if (end <= start) return '';
  const text = lines.text.slice(lines.starts[start] ?? 0, lines.ends[end - 1] ?? 0);
  return lines.hasCarriageReturns ? text.replaceAll('\r\n', '\n') : text;
}

/** The length of a line in UTF-16 units. */
export function lineLength(lines: TextLines, index: number): number {
  return (lines.ends[index] ?? 0) - (lines.starts[index] ?? 0);
}
