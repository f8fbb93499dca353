import { openCurrentServer, type Server, withLease } from '../../postgres/index.js';
import { SharedRecalls } from '../recall-log/shared-recalls.js';
import type { SharedReach } from './dream-sources.js';

interface Waiting {
  readonly signal: AbortSignal;
  readonly onWait: () => void;
}

/**
 * Runs a sweep of memories that other hosts share: one at a time for each agent, on whichever host.
 *
 * @param sweep gets the recall logs, and a signal that is also aborted if the right to sweep is lost
 * @throws SvcError STORAGE_*
 */
export async function withSharedSweep<T>(
  { places, context }: SharedReach,
  { signal, onWait }: Waiting,
  sweep: (signal: AbortSignal, logs: readonly SharedRecalls[]) => Promise<T>,
): Promise<T> {
  const [first] = places;
  if (first === undefined) return sweep(signal, []);
  const server = await openCurrentServer(context, first.config);
  const logs = await Promise.all(places.map((place) => SharedRecalls.open(place, context)));
  // In one order on all hosts, so that none waits for another that waits for it.
  const names = places.map(({ agent }) => `sweep:${agent}`).toSorted();
  return withLeases(server, names, { signal, onWait }, (own) => sweep(own, logs));
}

async function withLeases<T>(
  server: Server,
  [name, ...others]: readonly string[],
  { signal, onWait }: Waiting,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (name === undefined) return work(signal);
  return withLease(server, name, { signal, onWait }, (own) =>
    withLeases(server, others, { signal: own, onWait }, work),
  );
}
