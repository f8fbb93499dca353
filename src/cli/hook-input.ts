import type { Readable } from 'node:stream';
import { withinTime } from '../engine/support/async.js';
import { wordsBeforeDashes } from './fast-start.js';
import { variableOf } from './flags.js';

/**
 * Whether a hook runs this command; works before the flags are parsed, and if they cannot be.
 *
 * @param flag the flag of the command for hooks
 */
export function wantsHook(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  flag: 'agent-hook' | 'hook',
): boolean {
  const typed = wordsBeforeDashes(argv).some(
    (word) => word === `--${flag}` || word.startsWith(`--${flag}=`),
  );
  return typed || Boolean(env[variableOf(flag)]);
}

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
