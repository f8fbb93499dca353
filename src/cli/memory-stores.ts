import { recallStore } from '../engine/active-memory/transcripts.js';
import { dreamStore } from '../engine/dreaming/dream-store.js';
import { workspaceOfMemory } from '../engine/dreaming/dream-targets.js';
import { sharedRecallStore } from '../engine/dreaming/recall-log/shared-recalls.js';
import { messageOf, SvcError, type Warning } from '../engine/errors/index.js';
import { trialStore } from '../engine/eval/trials.js';
import type { Forgetting, MemoryStore, StoreOutcome } from '../engine/memory/forget/index.js';
import { type Forgotten, forgetMark, noteFollowed } from '../engine/memory/forgotten/index.js';
import type { OpenedMemory } from '../engine/memory/index.js';
import { queryHistoryFile, queryHistoryStore } from '../engine/memory/lookups/query-history.js';
import { searchLogFile, searchLogStore } from '../engine/memory/lookups/search-log.js';
import { archiveStore } from '../engine/memory/sessions/index.js';
import type { WorkOptions } from '../engine/memory/sync/index.js';
import type { EngineContext } from '../engine/support/context.js';
import { previewStore } from './dream/evaluate-preview.js';

/** Everything except the files that stores text of a memory. Forgotten passages are removed from all of them. */
function memoryStores(
  { entries, store }: Forgetting,
  { agent, agentId, home }: OpenedMemory,
  context: EngineContext,
): readonly MemoryStore[] {
  const { state, clock } = context;
  const isAgent = agentId !== null;
  const { others } = home;
  const stores = [
    // First, so that no sync reads from it what is being forgotten.
    isAgent ? archiveStore({ agent }, context) : undefined,
    store,
    trialStore(state, clock),
    dreamStore(workspaceOfMemory({ agent, agentId }, state), agent.dreamTimezone),
    isAgent && others ? sharedRecallStore(others.place, context) : undefined,
    recallStore(state.stateDir),
    isAgent ? searchLogStore(searchLogFile(state, agentId), entries) : undefined,
    previewStore(state),
    queryHistoryStore(queryHistoryFile(state)),
  ];
  return stores.filter((one) => one !== undefined);
}

/**
 * Applies the list of forgotten passages to every store. If one fails, the list is still applied to the others.
 *
 * @throws the first failure; SvcError INTERRUPTED
 */
export async function followInAllStores(
  forgetting: Forgetting,
  memory: OpenedMemory,
  context: EngineContext,
  work: WorkOptions,
): Promise<readonly StoreOutcome[]> {
  const mark = forgetMark(memory.forget);
  const forgotten: Forgotten = await forgetting.forgotten();
  const outcomes: StoreOutcome[] = [];
  const failures: unknown[] = [];
  for (const store of memoryStores(forgetting, memory, context)) {
    try {
      outcomes.push(await store.follow(forgotten, work));
    } catch (error) {
      failures.push(error);
    }
    // A store that is stopped may report what it has done as if it were all.
    if (work.signal?.aborted === true) {
      throw new SvcError('INTERRUPTED', 'interrupted before everything was updated', {
        hint: 'run "svc memory index" to finish',
      });
    }
  }
  if (failures.length > 0) throw failures[0];
  const isDone = outcomes.every(({ clean, why }) => clean || why !== undefined);
  if (isDone) noteFollowed(memory.forget, mark);
  return outcomes;
}

/**
 * Does what a killed `svc memory forget` left to do, or what another host of a shared memory forgot.
 *
 * @returns warnings about what is still left
 */
export async function completeForgetting(
  memory: OpenedMemory,
  context: EngineContext,
  work: WorkOptions,
): Promise<readonly Warning[]> {
  try {
    const forgetting = await memory.backend.forgetting();
    return unfinishedWarnings(await followInAllStores(forgetting, memory, context, work));
  } catch (error) {
    if (error instanceof SvcError && error.code === 'INTERRUPTED') throw error;
    work.signal?.throwIfAborted();
    // Whatever a store fails with, the work that comes with it goes on; the next one tries again.
    const message = `forgetting is unfinished: ${messageOf(error)}`;
    const hint = error instanceof SvcError ? error.hint : undefined;
    return [{ code: 'FORGET_UNFINISHED', message, hint }];
  }
}

/** A warning for each store whose files may still contain forgotten bytes. */
export function unfinishedWarnings(outcomes: readonly StoreOutcome[]): readonly Warning[] {
  return outcomes
    .filter(({ clean }) => !clean)
    .map(({ store, why = inUse(store) }) => ({ code: 'FORGET_UNFINISHED', ...why }));
}

function inUse(store: string): Omit<Warning, 'code'> {
  return {
    message: `another process is reading the ${store}: forgotten bytes stay until the next sync`,
    hint: 'run "svc memory index" once no other process uses it',
  };
}
