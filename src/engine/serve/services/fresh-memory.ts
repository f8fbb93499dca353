import type { ResolvedAgent } from '../../config/index.js';
import { openAgent } from '../../memory/open-memory.js';
import type { MemoryWatcher, WatchEvent } from '../../memory/watch/memory-watcher.js';
import { watchMemory } from '../../memory/watch/watch-memory.js';
import { watchTargetOf } from '../../memory/watch/watch-target.js';
import type { ServeSetup } from '../service.js';

/** A memory that is kept fresh. */
export interface FreshMemory {
  readonly watcher: MemoryWatcher;
  /** Lets go of the index, once the watcher is closed. */
  readonly close: () => Promise<void>;
}

/** Opens the memory of an agent with a watcher on it that has not been started. */
export async function freshMemory(
  agent: ResolvedAgent,
  { context, loaded }: ServeSetup,
  onEvent: (event: WatchEvent) => void,
): Promise<FreshMemory> {
  const memory = await openAgent(agent, context, loaded, { longLived: true });
  const target = watchTargetOf(memory);
  // The refresh at the start has a switch of its own there.
  const watched = memory.ext === undefined ? target : { ...target, syncsAtStart: false };
  const watcher = watchMemory(watched, { clock: context.clock, onEvent });
  return { watcher, close: () => memory.backend.close() };
}
