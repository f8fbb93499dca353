import { SvcError } from '../errors/index.js';
import type { FlowStore } from './flow-store.js';

/** How to wait for the end of a flow or task. */
export interface WaitOptions<R> {
  /** Its reason is thrown. */
  readonly signal: AbortSignal;
  /** For how long; without a limit when left out. */
  readonly timeoutMs?: number | undefined;
  /** Called with each change, and first with the record as it is. */
  readonly onChange?: ((record: R) => void) | undefined;
}

/** How often the store is asked whether anything was committed, which costs next to nothing. */
const LOOK_MS = 200;

/**
 * Reads a record again after each commit until it has ended. A server that does not answer for a while is waited for.
 *
 * @throws SvcError WAIT_TIMED_OUT; what `read` throws; the reason of the signal
 */
export async function waitForEnd<
  R extends { readonly revision: number; readonly endedAt: unknown },
>(
  store: FlowStore,
  read: () => Promise<R>,
  { signal, timeoutMs = Number.POSITIVE_INFINITY, onChange }: WaitOptions<R>,
): Promise<R> {
  const until = performance.now() + timeoutMs;
  let seen: { readonly version: string; readonly record: R } | undefined;
  for (;;) {
    signal.throwIfAborted();
    try {
      const version = await store.version();
      if (version !== seen?.version) {
        const record = await read();
        if (record.revision !== seen?.record.revision) onChange?.(record);
        seen = { version, record };
        if (record.endedAt !== null) return record;
      }
    } catch (error) {
      const isServer = error instanceof SvcError && error.code.startsWith('STORAGE_');
      if (!isServer || seen === undefined) throw error;
    }
    const leftMs = until - performance.now();
    if (leftMs <= 0) {
      throw new SvcError('WAIT_TIMED_OUT', 'it had not ended when the time was over', {
        hint: 'wait longer with --timeout, or without a limit by leaving it out',
      });
    }
    await store.rest(Math.min(LOOK_MS, leftMs), signal);
  }
}
