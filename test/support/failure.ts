import { SvcError } from '../../src/engine/errors/index.js';

/** The error of a kind that something fails with, at once or later; any other outcome fails the test. */
export async function errorOf<E extends Error>(
  kind: new (...args: never[]) => E,
  work: Promise<unknown> | (() => unknown),
): Promise<E> {
  try {
    await (typeof work === 'function' ? work() : work);
  } catch (error) {
    if (error instanceof kind) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

/** The SvcError that something fails with. */
export const failureOf = (work: Promise<unknown> | (() => unknown)): Promise<SvcError> =>
  errorOf(SvcError, work);
