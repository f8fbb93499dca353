import { type LoadedConfig, resolveAgents } from '../config/index.js';
import { flowsFile } from '../flows/index.js';
import {
  describeAddress,
  OLDEST_SERVER,
  openServer,
  pendingAfter,
  SCHEMA_VERSION,
  type Server,
  serverState,
} from '../postgres/index.js';
import type { EngineContext } from '../support/context.js';
import type { StorageStatusOutput } from './output-schemas.js';
import { requireReadable } from './rights.js';
import { connectedClients, replicasOf, serverFacts, storeSizes } from './server-facts.js';

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
    return { store: 'sqlite', files, origin: null, server: null };
  }
  const server = await openServer(context, loaded.resolved);
  return {
    store: 'postgres',
    files: null,
    origin: storage.origin ?? null,
    server: await serverStatus(server, storage.poolSize, () => context.clock.now()),
  };
}

async function serverStatus(
  server: Server,
  poolSize: number,
  now: () => number,
): Promise<NonNullable<StorageStatusOutput['server']>> {
  const rights = await requireReadable(server);
  const { version, schemaVersion } = await serverState(server);
  const facts = await serverFacts(server, now);
  const [sizes, clients, replicas] = await Promise.all([
    storeSizes(server),
    connectedClients(server),
    replicasOf(server),
  ]);
  const { vectorExtension: extension } = facts;
  const supported = Number.parseInt(version, 10) >= OLDEST_SERVER;
  const isCurrent = schemaVersion === SCHEMA_VERSION;
  const isAllowed = rights.grantToUse === undefined && !facts.isReadOnly;
  return {
    address: describeAddress(server.address),
    user: server.address.user,
    version,
    supported,
    usable: supported && isCurrent && isAllowed,
    schemaVersion,
    knownSchemaVersion: SCHEMA_VERSION,
    pending: pendingAfter(schemaVersion).map(({ version: number, name }) => ({
      version: number,
      name,
    })),
    readOnly: facts.isReadOnly,
    missingRights: rights.grantToUse ?? null,
    clockAheadMs: facts.clockAheadMs,
    pgvector: {
      state: extension.state,
      version: extension.state === 'missing' ? null : extension.version,
    },
    sizes,
    connections: { max: facts.maxConnections, pool: poolSize, clients },
    replicas,
  };
}
