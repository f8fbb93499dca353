import type { Readable } from 'node:stream';
import { readLines } from '../child/read-lines.js';
import { progressLine } from './words.js';

const MOST_LINE_BYTES = 8192;
/** So many lines of one program go into the log. */
const MOST_LINES = 200;

/** What a program writes to stderr: noted up to a bound; the last line is kept, to say why it failed. */
export class ErrorTail {
  private last: string | undefined;
  private lines = 0;

  constructor(stderr: Readable, note: (text: string) => void) {
    readLines(stderr, {
      mostBytes: MOST_LINE_BYTES,
      onLine: (line) => {
        const text = progressLine(line);
        if (text === '') return;
        this.last = text;
        this.lines += 1;
        if (this.lines <= MOST_LINES) note(`stderr: ${text}`);
        else if (this.lines === MOST_LINES + 1) note('stderr: more was left out');
      },
    });
  }

  /** Undefined when nothing was written. */
  get lastLine(): string | undefined {
    return this.last;
  }
}
