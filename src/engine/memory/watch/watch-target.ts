import type { OpenedMemory } from '../open-memory.js';
import type { WatchTarget } from './memory-watcher.js';

/**
 * What there is to watch of an opened memory.
 *
 * @param watch whether to follow changes; what `sync.watch` says when left out
 */
export function watchTargetOf(
  { agent, name, backend, sources, ext }: OpenedMemory,
  watch = agent.memorySearch.sync.watch,
): WatchTarget {
  const { store, sync } = agent.memorySearch;
  return {
    name,
    sources,
    backend,
    watch,
    debounceMs: ext?.settings.update.debounceMs ?? sync.watchDebounceMs,
    intervalMs: ext?.settings.update.intervalMs ?? sync.intervalMinutes * 60_000,
    indexFile: store.path,
  };
}
