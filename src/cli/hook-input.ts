import type { Readable } from 'node:stream';
import { withinTime } from '../engine/support/async.js';

/** Larger than any prompt of an agent. */
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * Begins to read what an agent writes to its hook. Never fails: the process that started this one may be gone.
 *
 * @returns waits for the end of the text, at most for a time: some agents write all of it but do not close the stream.
 * What was read by then; undefined if it is too large
 */
export function readHookInput(
  stream: Readable,
): (timeoutMs: number) => Promise<string | undefined> {
  const parts: Buffer[] = [];
  const reading = beginningOf(stream, MAX_BYTES, parts).catch(() => undefined);
  return async (timeoutMs) => {
    await withinTime(timeoutMs, undefined, () => reading);
    stream.destroy();
    const bytes = Buffer.concat(parts);
    return bytes.length > MAX_BYTES ? undefined : bytes.toString('utf8');
  };
}

/**
 * All that a stream has; of more, somewhat more than the given number of bytes.
 *
 * @param parts receives what is read, as it arrives
 */
export async function beginningOf(
  stream: Readable,
  mostBytes: number,
  parts: Buffer[] = [],
): Promise<Buffer> {
  let bytes = 0;
  for await (const part of stream) {
    const read = Buffer.from(part);
    parts.push(read);
    bytes += read.length;
    if (bytes > mostBytes) break;
  }
  return Buffer.concat(parts);
}
