import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemErrorCode } from '../../errors/index.js';

/** How a log is followed. */
export interface FollowOptions {
  /** Bytes that are known already. */
  readonly fromBytes: number;
  readonly signal: AbortSignal;
  /** Between two looks, in milliseconds. */
  readonly everyMs: number;
}

/**
 * The lines that come to a log from now on, without their line breaks, until the signal aborts. A file
 * that is set aside is read to its end first, and the one in its place from its beginning.
 *
 * It looks again and again instead of watching: the system may be out of watchers just when the log is
 * of interest.
 */
export async function* followLog(
  file: string,
  { fromBytes, signal, everyMs }: FollowOptions,
): AsyncGenerator<string> {
  const reader = new LineReader(file, fromBytes);
  try {
    while (!signal.aborted) {
      yield* reader.read();
      await sleep(everyMs, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    reader.close();
  }
}

const CHUNK_BYTES = 64 * 1024;

class LineReader {
  private readonly file: string;
  private descriptor: number | undefined;
  private position: number;
  private rest = Buffer.alloc(0);

  constructor(file: string, fromBytes: number) {
    this.file = file;
    this.position = fromBytes;
    this.open();
  }

  /** What has come since the last call. */
  *read(): Generator<string> {
    if (this.descriptor === undefined) this.open();
    if (this.descriptor === undefined) return;
    yield* this.readOpen(this.descriptor);
    if (!this.isReplaced(this.descriptor)) return;
    // Lines may have come between the last read and the exchange.
    yield* this.readOpen(this.descriptor);
    this.close();
    this.position = 0;
    this.rest = Buffer.alloc(0);
  }

  close(): void {
    if (this.descriptor !== undefined) closeSync(this.descriptor);
    this.descriptor = undefined;
  }

  private open(): void {
    try {
      this.descriptor = openSync(this.file, 'r');
    } catch (error) {
      if (systemErrorCode(error) !== 'ENOENT') throw error;
      this.position = 0;
    }
  }

  private *readOpen(descriptor: number): Generator<string> {
    // Emptied by somebody: what is there now is new.
    if (fstatSync(descriptor).size < this.position) this.position = 0;
    const chunk = Buffer.alloc(CHUNK_BYTES);
    for (;;) {
      const count = readSync(descriptor, chunk, 0, CHUNK_BYTES, this.position);
      if (count === 0) return;
      this.position += count;
      const data = Buffer.concat([this.rest, chunk.subarray(0, count)]);
      const end = data.lastIndexOf(0x0a) + 1;
      this.rest = data.subarray(end);
      yield* data
        .subarray(0, end)
        .toString('utf8')
        .split('\n')
        .filter((line) => line !== '');
    }
  }

  private isReplaced(descriptor: number): boolean {
    const now = statSync(this.file, { throwIfNoEntry: false });
    const open = fstatSync(descriptor);
    return now !== undefined && (now.ino !== open.ino || now.dev !== open.dev);
  }
}
