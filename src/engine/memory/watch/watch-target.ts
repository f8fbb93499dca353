import type { OpenedMemory } from '../open-memory.js';
import { memorySourcesOf } from '../sources/memory-sources.js';
import type { WatchTarget } from './memory-watcher.js';

/**
 * What there is to watch of an opened memory.
 *
 * @param watch whether to follow changes; what `sync.watch` says when left out
 */
export function watchTargetOf(
  { agent, agentId, name, backend }: OpenedMemory,
  watch = agent.memorySearch.sync.watch,
): WatchTarget {
  const { store, sync } = agent.memorySearch;
  return {
    name,
    sources: memorySourcesOf(agent, agentId === null ? 'folder' : 'agent'),
    backend,
    watch,
    debounceMs: sync.watchDebounceMs,
    intervalMs: sync.intervalMinutes * 60_000,
    indexFile: store.path,
  };
}
