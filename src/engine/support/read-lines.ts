import type { Readable } from 'node:stream';

interface LineOptions {
  /** Longer lines are skipped; in bytes. */
  readonly mostBytes: number;
  readonly onLine: (line: string) => void;
  /** Called for each skipped line. */
  readonly onTooLong?: (() => void) | undefined;
}

const NEW_LINE = 0x0a;

/**
 * Calls back with each line of a stream, buffering no more than the longest line. The last line needs no
 * line break. Bytes that are not UTF-8 become replacement characters.
 */
export function readLines(stream: Readable, options: LineOptions): void {
  const { mostBytes, onLine, onTooLong } = options;
  let parts: Buffer[] = [];
  let bytes = 0;
  const add = (part: Buffer): void => {
    bytes += part.length;
    if (bytes <= mostBytes) parts.push(part);
    else parts = [];
  };
  const finish = (): void => {
    if (bytes > mostBytes) onTooLong?.();
    else if (bytes > 0) onLine(Buffer.concat(parts).toString('utf8'));
    parts = [];
    bytes = 0;
  };
  stream.on('data', (chunk: Buffer) => {
    let from = 0;
    for (let at = chunk.indexOf(NEW_LINE); at !== -1; at = chunk.indexOf(NEW_LINE, from)) {
      add(chunk.subarray(from, at));
      finish();
      from = at + 1;
    }
    add(chunk.subarray(from));
  });
  // A stream that was cut off has no end, and a file as stdin is not closed.
  stream.on('end', finish).on('close', finish);
  stream.on('error', () => undefined);
}
