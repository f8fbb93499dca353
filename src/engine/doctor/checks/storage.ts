import { formatCount, formatCountOf, formatDuration } from '../../support/format.js';
import { isLoopback } from '../../support/network.js';
import {
  type ConfiguredWorld,
  configuredCheck,
  type Finding,
  type FindingPlace,
  faultOf,
  finding,
} from '../check.js';
import { resolveConfigured } from './secrets.js';

/** A larger difference confuses people who compare times of the server with those of this host. */
const MOST_CLOCK_DIFFERENCE_MS = 5000;
/** With fewer vectors, comparing all of them is fast. */
const MANY_VECTORS = 50_000;
/** With more than this share of the connections in one process, a few hosts use them all. */
const POOL_SHARE = 0.5;

/** Whether the PostgreSQL server can be used as it is. */
export const storage = configuredCheck('storage', async (world) => {
  const { url } = world.loaded.resolved.storage;
  if (url === undefined) return { summary: 'SQLite files', findings: [], off: true };
  const place = world.placeOf(['storage', 'url']);
  // Also masks the URL and its password in all findings. The check `secrets` reports a URL that cannot be resolved.
  const [resolved] = await resolveConfigured([{ input: url }], world);
  if (resolved?.outcome.ok !== true)
    return { summary: 'storage.url cannot be read', findings: [], off: true };
  try {
    return await checkServer(world, place);
  } catch (error) {
    const unusable = faultOf('storage-unusable', error, { place });
    return { summary: 'cannot be used', findings: [unusable] };
  }
});

async function checkServer(world: ConfiguredWorld, place: FindingPlace | undefined) {
  const { context, loaded } = world;
  const { describeAddress, openServer, requireCurrent, serverState, UTF8_HINT } = await import(
    '../../postgres/index.js'
  );
  const { requireReadable, serverFacts, vectorCount } = await import('../../storage/index.js');
  const server = await openServer(context, loaded.resolved);
  const rights = await requireReadable(server);
  await requireCurrent(server);
  const { version, encoding } = await serverState(server);
  const facts = await serverFacts(server, () => context.clock.now());
  const where = describeAddress(server.address);
  const isElsewhere = !isLoopback(server.address.host) && !server.address.host.startsWith('/');
  const findings = [
    rights.grantToUse === undefined
      ? undefined
      : finding('storage-rights', 'fault', {
          message: `role ${rights.role} lacks rights on the tables of svc`,
          place,
          hint: `ask an administrator to run: ${rights.grantToUse}`,
        }),
    facts.isReadOnly
      ? finding('storage-read-only', 'fault', {
          message: `PostgreSQL at ${where} is read-only`,
          place,
          hint: 'point storage.url to the primary server, and a role that can write',
        })
      : undefined,
    encoding === 'UTF8'
      ? undefined
      : finding('storage-encoding', 'fault', {
          message: `the database ${server.address.database} stores text as ${encoding}`,
          cause: 'notes contain characters that it cannot store',
          place,
          hint: UTF8_HINT,
        }),
    server.exposesPassword && isElsewhere
      ? finding('storage-unencrypted', 'warning', {
          message: `the password and all data are sent to ${server.address.host} unencrypted`,
          place,
          hint: 'add sslmode=verify-full to the URL',
        })
      : undefined,
    clockFinding(facts.clockAheadMs, place),
    poolFinding(world, facts.maxConnections),
    facts.vectorExtension.state === 'used'
      ? undefined
      : vectorFinding(await vectorCount(server), facts.vectorExtension.state, place),
  ];
  return { summary: `PostgreSQL ${version} at ${where}`, findings };
}

function clockFinding(aheadMs: number, place: FindingPlace | undefined): Finding | undefined {
  const off = Math.abs(aheadMs);
  if (off <= MOST_CLOCK_DIFFERENCE_MS) return undefined;
  return finding('storage-clock', 'warning', {
    message: `the clock of the PostgreSQL server is ${formatDuration(off)} ${aheadMs > 0 ? 'ahead of' : 'behind'} this host's`,
    cause: 'leases use the clock of the server, so nothing is lost, but times of both do not match',
    place,
    hint: 'synchronize both clocks with NTP',
  });
}

function poolFinding(
  { loaded, placeOf }: ConfiguredWorld,
  maxConnections: number,
): Finding | undefined {
  const { poolSize } = loaded.resolved.storage;
  if (poolSize <= maxConnections * POOL_SHARE) return undefined;
  return finding('storage-pool', 'warning', {
    message: `each process opens up to ${formatCountOf(poolSize, 'connection')}, and the PostgreSQL server accepts ${formatCount(maxConnections)}`,
    cause: 'a few processes together use them all',
    place: placeOf(['storage', 'poolSize']) ?? placeOf(['storage', 'url']),
    hint: 'lower storage.poolSize, raise max_connections, or put PgBouncer in front of the server',
  });
}

function vectorFinding(
  vectors: number,
  state: 'available' | 'missing',
  place: FindingPlace | undefined,
): Finding | undefined {
  if (vectors < MANY_VECTORS) return undefined;
  return finding('storage-pgvector', 'note', {
    message: `semantic searches compare ${formatCount(vectors)} vectors one by one`,
    cause: 'with pgvector, an index finds the nearest ones',
    place,
    hint: `${state === 'missing' ? 'install pgvector on the server, and ' : ''}run "CREATE EXTENSION vector" in the database, then "svc storage migrate"`,
  });
}
