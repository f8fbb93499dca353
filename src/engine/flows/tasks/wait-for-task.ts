import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../context.js';
import type { Flows } from '../open-flows.js';
import type { ClaimedTask, ClaimRequest } from './claim-task.js';

const LOOK_MS = 200;

/**
 * Claims a task, and waits for one when there is none. Notices within a fifth of a second that any
 * process has added one, or that one's rest or lease is over.
 *
 * @throws the signal's reason
 */
export async function waitForTask(
  flows: Pick<Flows, 'tasks' | 'version'>,
  request: ClaimRequest,
  { signal, clock }: { readonly signal: AbortSignal; readonly clock: Clock },
): Promise<ClaimedTask> {
  for (;;) {
    // Before it looks: what is committed while the claim is on its way to disk is not missed.
    const seen = flows.version();
    const claimed = await flows.tasks.claim(request);
    if (claimed !== undefined) return claimed;
    const dueAt = flows.tasks.nextDueAt() ?? Number.POSITIVE_INFINITY;
    do {
      signal.throwIfAborted();
      await sleep(LOOK_MS, undefined, { signal }).catch(() => undefined);
    } while (!signal.aborted && flows.version() === seen && clock.now() <= dueAt);
  }
}
