import type { Flows } from '../../flows/index.js';
import { type ServiceFailure, serviceFailure } from '../service.js';

const PROBE_MS = 2000;

/**
 * Reports that changes of flows cannot be stored, and when they can again, which it finds out by trying.
 *
 * @returns stops it
 */
export function watchWrites(
  { subscribe, probe }: Flows['writes'],
  report: (failure: ServiceFailure | undefined) => void,
): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isProbing = false;
  const unsubscribe = subscribe((failure) => {
    clearInterval(timer);
    report(failure === undefined ? undefined : serviceFailure(failure));
    if (failure === undefined) return;
    timer = setInterval(() => {
      if (isProbing) return;
      isProbing = true;
      void probe().finally(() => {
        isProbing = false;
      });
    }, PROBE_MS).unref();
  });
  return () => {
    clearInterval(timer);
    unsubscribe();
  };
}
