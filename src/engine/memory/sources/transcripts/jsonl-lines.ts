import { readSync } from 'node:fs';

/** One line of a file, without its end. */
export interface JsonlLine {
  /** Its start, in bytes. */
  readonly offset: number;
  /** Start of the next line. */
  readonly end: number;
  /** 1-based. */
  readonly number: number;
  /** Undefined for a line over MAX_LINE_BYTES, and for unwanted lines. */
  readonly text: string | undefined;
  /** False for an unterminated last line. */
  readonly isEnded: boolean;
}

/** Where reading starts. */
export interface LinePosition {
  readonly offset: number;
  /** 1-based number of the line that starts there. */
  readonly line: number;
}

/** An open file, or the content of one. */
export type LineSource = Buffer | number;

/** Longer lines contain a file or a picture, not conversation. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;
const BLOCK_BYTES = 512 * 1024;
const NEWLINE = 10;
const CARRIAGE_RETURN = 13;

/**
 * The lines of a file from a position on, with one block or one line in memory at a time.
 *
 * @param end where to stop, in bytes: later appends are left for the next time
 * @param isWanted by number and offset; the text of other lines is skipped
 */
export function* jsonlLines(
  source: LineSource,
  from: LinePosition,
  end: number,
  isWanted: (line: number, offset: number) => boolean,
): Generator<JsonlLine> {
  let buffer = Buffer.allocUnsafe(Math.min(BLOCK_BYTES, Math.max(1, end - from.offset)));
  let { offset, line } = from;
  let filled = 0;
  let isOverlong = false;
  let position = from.offset;
  while (position < end) {
    if (filled === buffer.length) {
      if (buffer.length >= MAX_LINE_BYTES) {
        // Only its end is needed.
        isOverlong = true;
        filled = 0;
      } else buffer = grown(buffer, Math.min(buffer.length * 2, MAX_LINE_BYTES));
    }
    const room = Math.min(buffer.length - filled, end - position);
    const count =
      typeof source === 'number'
        ? readSync(source, buffer, filled, room, position)
        : source.copy(buffer, filled, position, position + room);
    if (count === 0) break;
    position += count;
    const searchFrom = filled;
    filled += count;
    let start = 0;
    let newline = buffer.subarray(0, filled).indexOf(NEWLINE, searchFrom);
    while (newline !== -1) {
      const next = position - filled + newline + 1;
      const isText = !isOverlong && isWanted(line, offset);
      const text = isText ? textOf(buffer, start, newline, offset) : undefined;
      yield { offset, end: next, number: line, text, isEnded: true };
      isOverlong = false;
      offset = next;
      line += 1;
      start = newline + 1;
      newline = buffer.subarray(0, filled).indexOf(NEWLINE, start);
    }
    if (start > 0) buffer.copyWithin(0, start, filled);
    filled -= start;
  }
  if (position > offset) {
    const text = isOverlong ? undefined : textOf(buffer, 0, filled, offset);
    yield { offset, end: position, number: line, text, isEnded: false };
  }
}

function grown(buffer: Uint8Array, bytes: number): Buffer<ArrayBuffer> {
  const larger = Buffer.allocUnsafe(bytes);
  larger.set(buffer);
  return larger;
}

function textOf(buffer: Buffer, start: number, end: number, offset: number): string {
  const stop = end > start && buffer[end - 1] === CARRIAGE_RETURN ? end - 1 : end;
  const text = buffer.toString('utf8', start, stop);
  // JSON does not include a byte order mark.
  return offset === 0 && text.startsWith('\uFEFF') ? text.slice(1) : text;
}
