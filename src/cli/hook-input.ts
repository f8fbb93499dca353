import type { Readable } from 'node:stream';
import { withinTime } from '../engine/support/async.js';

/** Larger than any prompt of an agent. */
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * Begins to read what an agent writes to its hook. Never fails: the process that started this one may be gone.
 *
 * @returns waits, at most for a time, for the whole text; undefined if it is too large, was interrupted or did not end
 */
export function readHookInput(
  stream: Readable,
): (timeoutMs: number) => Promise<string | undefined> {
  const reading = beginningOf(stream, MAX_BYTES).catch(() => undefined);
  return async (timeoutMs) => {
    const read = await withinTime(timeoutMs, undefined, () => reading);
    stream.destroy();
    const bytes = read.done ? read.value : undefined;
    return bytes === undefined || bytes.length > MAX_BYTES ? undefined : bytes.toString('utf8');
  };
}

/** All that a stream has; of more, somewhat more than the given number of bytes. */
export async function beginningOf(stream: Readable, mostBytes: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of stream) {
    const read = Buffer.from(part);
    parts.push(read);
    bytes += read.length;
    if (bytes > mostBytes) break;
  }
  return Buffer.concat(parts);
}
