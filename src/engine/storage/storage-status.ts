import { type LoadedConfig, resolveAgents } from '../config/index.js';
import { flowsFile } from '../flows/index.js';
import type { EngineContext } from '../support/context.js';
import type { StorageStatusOutput } from './output-schemas.js';

/**
 * The state of the shared store, or where the files are.
 *
 * @throws SvcError STORAGE_*, SECRET_UNRESOLVED, CONFIG_INVALID
 */
export async function storageStatus(
  context: EngineContext,
  loaded: LoadedConfig,
): Promise<StorageStatusOutput> {
  const { storage } = loaded.resolved;
  if (storage.url === undefined) {
    const indexes = resolveAgents(loaded, context).map(
      ({ memorySearch }) => memorySearch.store.path,
    );
    const files = { flows: flowsFile(context), indexes: [...new Set(indexes)] };
    return { store: 'sqlite', files, origin: null, memories: [], server: null };
  }
  const { serverStatus } = await import('./server-status.js');
  return { store: 'postgres', files: null, ...(await serverStatus(context, loaded)) };
}
