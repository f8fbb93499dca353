import { dreamStore } from '../engine/dreaming/dream-store.js';
import { settledWorkspace } from '../engine/dreaming/dream-targets.js';
import { hasTrialIndexes, trialStore } from '../engine/eval/trial-indexes.js';
import type { Forgetting, WorkOptions } from '../engine/memory/backends/index.js';
import type { Forgotten, MemoryStore, StoreOutcome } from '../engine/memory/forget/index.js';
import type { OpenedMemory } from '../engine/memory/index.js';
import type { EngineContext } from '../engine/support/context.js';
import { realOrGiven } from '../engine/support/files.js';

/** Everything except the files that stores text of a memory. Forgotten passages are removed from all of them. */
function memoryStores(
  { store }: Forgetting,
  { agent, agentId }: OpenedMemory,
  { state, clock }: EngineContext,
): readonly MemoryStore[] {
  const trials = hasTrialIndexes(state) ? [trialStore(state, clock)] : [];
  // Dreaming records no recalls in a folder that does not belong to an agent.
  if (agentId === null) return [store, ...trials];
  const workspace = settledWorkspace(realOrGiven(agent.workspaceDir), [agent], state);
  return [store, ...trials, dreamStore(workspace, agent.dreamTimezone)];
}

/** Applies the list of forgotten passages to every store. */
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
