import type { Readable } from 'node:stream';

/** What becomes of the lines of a stream. */
export interface LineOptions {
  /** Longer lines are left out as a whole; in bytes. */
  readonly mostBytes: number;
  readonly onLine: (line: string) => void;
  /** Called once for each line that was left out. */
  readonly onTooLong?: (() => void) | undefined;
}

const NEW_LINE = 0x0a;

/**
 * Tells each line of a stream, never keeping more of it than one line may have. A last line needs no
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
  // It comes after the end, and also when there is none because the stream was cut off.
  stream.on('close', finish);
  stream.on('error', () => undefined);
}
