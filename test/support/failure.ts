import { SvcError } from '../../src/engine/errors/index.js';

/** The SvcError that something fails with; any other outcome fails the test. */
export async function failureOf(work: Promise<unknown>): Promise<SvcError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof SvcError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}
