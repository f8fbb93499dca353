import { VendorFault } from '../vendor-fault.js';

/** Adds what to start to the fault of a server that is not running. */
export async function withHintWhenRefused<T>(
  hint: string | undefined,
  answer: Promise<T>,
): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (hint === undefined || !(error instanceof VendorFault)) throw error;
    if (error.details.code !== 'ECONNREFUSED') throw error;
    throw new VendorFault({ ...error.details, hint }, { cause: error });
  }
}
