import { SvcError } from '../errors/index.js';

/** What became of one of many. */
export interface Changed<R> {
  /** After the change, or as it was found. */
  readonly record: R;
  /** Why it was not changed. */
  readonly error: SvcError | undefined;
}

/** The most that one command changes. */
export const MOST_CHANGED = 10_000;

/** Changes of different records that share transactions. */
const AT_ONCE = 50;

/**
 * Changes each of many records in a transaction of its own, which it may share with a few others. One that cannot be
 * changed does not stop the others.
 *
 * @returns all of them; only the first ones if the signal was aborted meanwhile
 */
export async function changeMany<R>(
  records: readonly R[],
  change: (record: R) => Promise<R>,
  signal: AbortSignal,
): Promise<readonly Changed<R>[]> {
  const changed: Changed<R>[] = [];
  for (let at = 0; at < records.length; at += AT_ONCE) {
    if (signal.aborted) break;
    const group = records.slice(at, at + AT_ONCE);
    changed.push(...(await Promise.all(group.map((record) => attempt(record, change)))));
  }
  return changed;
}

async function attempt<R>(record: R, change: (record: R) => Promise<R>): Promise<Changed<R>> {
  try {
    return { record: await change(record), error: undefined };
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    return { record, error };
  }
}
