import type { Forgetting, WorkOptions } from '../engine/memory/backends/memory-backend.js';
import type { Forgotten } from '../engine/memory/forget/forgotten.js';
import type { MemoryStore, StoreOutcome } from '../engine/memory/forget/memory-store.js';

/**
 * Everything besides the files that keeps text of a memory. What is forgotten is taken out of all of
 * them; a new store joins with one entry.
 */
function memoryStores({ store }: Forgetting): readonly MemoryStore[] {
  return [store];
}

/** Makes every store follow the list of what is forgotten. */
export async function followInAllStores(
  forgetting: Forgetting,
  work: WorkOptions,
): Promise<readonly StoreOutcome[]> {
  const forgotten: Forgotten = await forgetting.forgotten();
  const outcomes: StoreOutcome[] = [];
  for (const store of memoryStores(forgetting)) outcomes.push(await store.follow(forgotten, work));
  return outcomes;
}
