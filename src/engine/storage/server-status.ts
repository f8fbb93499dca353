import type { LoadedConfig } from '../config/index.js';
import { sharedPlace } from '../memory/home/index.js';
import { listOrigins } from '../memory/index/postgres/index.js';
import {
  describeAddress,
  OLDEST_SERVER,
  openServer,
  pendingAfter,
  SCHEMA_VERSION,
  serverState,
} from '../postgres/index.js';
import type { EngineContext } from '../support/context.js';
import { originOutput } from './origins.js';
import type { StorageStatusOutput } from './output-schemas.js';
import { requireReadable } from './rights.js';
import { connectedClients, replicasOf, serverFacts, storeSizes } from './server-facts.js';

/** The state of the server of `storage.url`. @throws SvcError STORAGE_*, SECRET_UNRESOLVED */
export async function serverStatus(
  context: EngineContext,
  loaded: LoadedConfig,
): Promise<Pick<StorageStatusOutput, 'memories' | 'origin' | 'server'>> {
  const { resolved } = loaded;
  const server = await openServer(context, resolved);
  const rights = await requireReadable(server);
  const { version, schemaVersion } = await serverState(server);
  const facts = await serverFacts(server, () => context.clock.now());
  const [sizes, clients, replicas] = await Promise.all([
    storeSizes(server),
    connectedClients(server),
    replicasOf(server),
  ]);
  const { vectorExtension: extension } = facts;
  const supported = Number.parseInt(version, 10) >= OLDEST_SERVER;
  const isCurrent = schemaVersion === SCHEMA_VERSION;
  const isAllowed = rights.grantToUse === undefined && !facts.isReadOnly;
  const own = sharedPlace('', loaded, context)?.origin ?? null;
  const memories = isCurrent ? (await listOrigins(server)).map(originOutput) : [];
  return {
    origin: own,
    memories,
    server: {
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
      connections: { max: facts.maxConnections, pool: resolved.storage.poolSize, clients },
      replicas,
    },
  };
}
