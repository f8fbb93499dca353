import type { VendorCall } from '../vendor.js';
import { isTransient, VendorFault } from '../vendor-fault.js';
import type { Pacing } from './pacer.js';

/**
 * Starts a batch job with an uploaded file, once: it is not sent again if it may have worked. If the vendor refuses the
 * job, the file is deleted, since nobody would look for it.
 *
 * @throws VendorFault, or the signal's reason
 */
export async function startJob<T>(
  call: VendorCall,
  start: (once: VendorCall) => Promise<T>,
  removeFile: () => Promise<unknown>,
): Promise<T> {
  try {
    return await start({ ...call, pacing: notTwice(call.pacing) });
  } catch (error) {
    // A job that may have started needs it.
    if (!call.signal.aborted && error instanceof VendorFault && !isUnclear(error)) {
      await removeFile().catch(() => undefined);
    }
    throw error;
  }
}

/** Retries only if the vendor rejected the request, not if it may have worked. */
function notTwice(pacing: Pacing): Pacing {
  return {
    ...pacing,
    delayAfter: (fault, tries) =>
      fault.details.kind === 'rate' ? pacing.delayAfter(fault, tries) : undefined,
  };
}

/** A rate-limited request was certainly not accepted; other temporary faults leave it open. */
function isUnclear(fault: VendorFault): boolean {
  const { kind } = fault.details;
  return kind === 'answer' || (isTransient(fault) && kind !== 'rate');
}
