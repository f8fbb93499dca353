import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SearchResponse } from '../search/types.js';
import type { MemoryBackend } from './memory-backend.js';

/**
 * A backend whose answers somebody hears, once whoever asked has them; closing it waits for that. Searches
 * while somebody types are nobody's questions and are not told.
 *
 * @param hear must not fail
 */
export function heardBackend(
  backend: MemoryBackend,
  hear: (response: SearchResponse) => Promise<void>,
): MemoryBackend {
  const hearing = new Set<Promise<void>>();
  const tell = (response: SearchResponse): void => {
    const heard = nextTurn()
      .then(() => hear(response))
      .finally(() => hearing.delete(heard));
    hearing.add(heard);
  };
  return {
    search: async (request, options) => {
      const response = await backend.search(request, options);
      if (request.lexicalOnly !== true && response.results.length > 0) tell(response);
      return response;
    },
    get: (request, options) => backend.get(request, options),
    list: (options) => backend.list(options),
    sync: (options) => backend.sync(options),
    status: (options) => backend.status(options),
    forgetting: () => backend.forgetting(),
    transfer: () => backend.transfer(),
    reset: () => backend.reset(),
    close: async () => {
      await Promise.all(hearing);
      await backend.close();
    },
  };
}
