import { realpathSync } from 'node:fs';
import type { EngineContext } from '../engine/context.js';
import { dreamStore } from '../engine/dreaming/dream-store.js';
import { dreamWorkspace } from '../engine/dreaming/dream-workspace.js';
import { hasTrialIndexes, trialStore } from '../engine/eval/trial-indexes.js';
import type { Forgetting, WorkOptions } from '../engine/memory/backends/memory-backend.js';
import type { Forgotten } from '../engine/memory/forget/forgotten.js';
import type { MemoryStore, StoreOutcome } from '../engine/memory/forget/memory-store.js';
import type { OpenedMemory } from '../engine/memory/open-memory.js';

/**
 * Everything besides the files that keeps text of a memory. What is forgotten is taken out of all of
 * them; a new store joins with one entry.
 */
function memoryStores(
  { store }: Forgetting,
  { agent, agentId }: OpenedMemory,
  { state, clock }: EngineContext,
): readonly MemoryStore[] {
  const trials = hasTrialIndexes(state) ? [trialStore(state, clock)] : [];
  // Nothing is recalled for dreaming in a folder that is no agent's.
  if (agentId === null) return [store, ...trials];
  const workspace = dreamWorkspace(realpathSync(agent.workspaceDir), state);
  return [store, ...trials, dreamStore(workspace, agent.userTimezone)];
}

/** Makes every store follow the list of what is forgotten. */
export async function followInAllStores(
  forgetting: Forgetting,
  memory: OpenedMemory,
  context: EngineContext,
  work: WorkOptions,
): Promise<readonly StoreOutcome[]> {
  const forgotten: Forgotten = await forgetting.forgotten();
  const outcomes: StoreOutcome[] = [];
  for (const store of memoryStores(forgetting, memory, context)) {
    outcomes.push(await store.follow(forgotten, work));
  }
  return outcomes;
}
