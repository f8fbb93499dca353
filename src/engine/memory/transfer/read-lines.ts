import { createReadStream } from 'node:fs';
import { exportFault } from './export-fault.js';
import { MAX_LINE_BYTES } from './export-format.js';

const NEWLINE = 10;

/** A line of a file, without its end. */
export interface NumberedLine {
  /** Counted from 1. */
  readonly number: number;
  readonly bytes: Buffer;
}

/**
 * The lines of a file, one in memory at a time. What follows the last line end is a line when there is
 * anything.
 *
 * @throws SvcError IMPORT_INVALID for a line that is longer than any export has; the system's error
 */
export async function* readFileLines(file: string): AsyncGenerator<NumberedLine> {
  let parts: Buffer[] = [];
  let length = 0;
  let number = 1;
  for await (const piece of createReadStream(file)) {
    let rest: Buffer = piece;
    for (let end = rest.indexOf(NEWLINE); end !== -1; end = rest.indexOf(NEWLINE)) {
      yield { number, bytes: Buffer.concat([...parts, rest.subarray(0, end)]) };
      number += 1;
      parts = [];
      length = 0;
      rest = rest.subarray(end + 1);
    }
    if (rest.length === 0) continue;
    parts.push(rest);
    length += rest.length;
    if (length > MAX_LINE_BYTES)
      throw exportFault(file, number, 'it is longer than any line of svc');
  }
  if (length > 0) yield { number, bytes: Buffer.concat(parts) };
}
