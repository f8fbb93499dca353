import { type LoadedConfig, resolveAgent } from '../config/index.js';
import { SvcError } from '../errors/index.js';
import { sharedPlace } from '../memory/home/index.js';
import { forgetOrigin, listOrigins, type Origin } from '../memory/index/postgres/index.js';
import {
  describeAddress,
  OLDEST_SERVER,
  openCurrentServer,
  openServer,
  pendingAfter,
  SCHEMA_VERSION,
  type Server,
  type Sql,
  serverState,
} from '../postgres/index.js';
import type { EngineContext } from '../support/context.js';
import { iso } from '../support/time.js';
import { COPIED_TABLES } from './copy/record-tables.js';
import type { StorageOriginsOutput, StorageStatusOutput } from './output-schemas.js';

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
  // One after another: at the same time, they would need three connections of a server that may have only one left.
  const sizes = await storeSizes(server);
  const clients = await connectedClients(server);
  const replicas = await replicasOf(server);
  const supported = Number.parseInt(version, 10) >= OLDEST_SERVER;
  const isCurrent = schemaVersion === SCHEMA_VERSION;
  const isAllowed = rights.grantToUse === undefined && !facts.isReadOnly;
  const memories = isCurrent ? (await listOrigins(server)).map(originOutput) : [];
  return {
    origin: sharedPlace('', loaded, context)?.origin ?? null,
    memories,
    server: {
      address: describeAddress(server.address),
      user: server.address.user,
      version,
      supported,
      usable: supported && isCurrent && isAllowed,
      schemaVersion,
      knownSchemaVersion: SCHEMA_VERSION,
      pending: pendingAfter(schemaVersion).map(({ sql: _, ...migration }) => migration),
      readOnly: facts.isReadOnly,
      missingRights: rights.grantToUse ?? null,
      clockAheadMs: facts.clockAheadMs,
      pgvector: facts.vectorExtension,
      sizes,
      connections: { max: facts.maxConnections, pool: resolved.storage.poolSize, clients },
      replicas,
    },
  };
}

/** The server in the document of `svc storage status`. */
export type ServerStatus = NonNullable<StorageStatusOutput['server']>;

/**
 * What a server allows, for status and doctor.
 *
 * @param now the clock of this host, milliseconds since the epoch
 * @throws SvcError STORAGE_*
 */
export async function serverFacts(server: Sql, now: () => number) {
  // The first statement opens the connection, which would count as time of the clock.
  await server.query('SELECT 1');
  const askedMs = now();
  const [row] = await server.query<{
    readonly max: number;
    readonly readOnly: boolean;
    readonly nowMs: number;
    readonly installed: string | null;
    readonly available: string | null;
  }>(`
    SELECT current_setting('max_connections')::int
        - current_setting('superuser_reserved_connections')::int AS max,
      pg_is_in_recovery() OR current_setting('transaction_read_only')::bool AS "readOnly",
      (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS "nowMs",
      (SELECT extversion FROM pg_extension WHERE extname = 'vector') AS installed,
      (SELECT default_version FROM pg_available_extensions WHERE name = 'vector') AS available`);
  const answeredMs = now();
  if (row === undefined) throw new TypeError('the server answered without a row');
  const { installed, available } = row;
  const unused = available === null ? 'missing' : 'available';
  return {
    maxConnections: row.max,
    /** Whether it accepts no changes: a replica, or a role or database set so. */
    isReadOnly: row.readOnly,
    /** How far its clock is ahead of this host's, give or take half a round trip. */
    clockAheadMs: Math.round(row.nowMs - (askedMs + answeredMs) / 2),
    /** pgvector: in use, ready to be added with CREATE EXTENSION, or missing on the server. */
    vectorExtension: {
      state: installed === null ? unused : 'used',
      version: installed ?? available,
    } satisfies ServerStatus['pgvector'],
  };
}

const FLOW_TABLE_NAMES = [...COPIED_TABLES.map(({ name }) => name), 'copies', 'store'];
const VECTOR_TABLE_NAMES = [
  ...['embeddings', 'embedding_codes', 'embedding_claims', 'unused_embeddings'],
  ...['spaces', 'memory_spaces', 'refused_contents', 'batch_jobs'],
];

/** Bytes on the server's disk, indexes included. @throws SvcError STORAGE_* */
async function storeSizes(server: Sql): Promise<ServerStatus['sizes']> {
  const [row] = await server.query<ServerStatus['sizes']>(
    `WITH sizes AS (
       SELECT relname, pg_total_relation_size(pg_class.oid) AS bytes
       FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
       WHERE nspname = 'svc' AND relkind = 'r')
     SELECT coalesce(sum(bytes) FILTER (WHERE relname = ANY($1)), 0)::bigint AS flows,
       coalesce(sum(bytes) FILTER (WHERE relname = ANY($2)), 0)::bigint AS vectors,
       coalesce(sum(bytes) FILTER (WHERE relname <> ALL($1 || $2)), 0)::bigint AS index,
       pg_database_size(current_database()) AS database
     FROM sizes`,
    [FLOW_TABLE_NAMES, VECTOR_TABLE_NAMES],
  );
  return row ?? { index: 0, vectors: 0, flows: 0, database: 0 };
}

/**
 * Who is connected, one entry per program and host. Of connections of other roles, an ordinary role sees no type; those
 * of the server itself have no user.
 *
 * @throws SvcError STORAGE_*
 */
async function connectedClients(server: Sql) {
  return server.query<ServerStatus['connections']['clients'][number]>(`
    SELECT application_name AS application, host(client_addr) AS host, count(*) AS connections,
      to_char(min(backend_start) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS since
    FROM pg_stat_activity
    WHERE datname = current_database() AND usename IS NOT NULL
      AND coalesce(backend_type, 'client backend') = 'client backend'
    GROUP BY application_name, client_addr
    ORDER BY count(*) DESC, application_name, client_addr`);
}

/** Replicas as far as the role may see them. @throws SvcError STORAGE_* */
async function replicasOf(server: Sql) {
  return server.query<ServerStatus['replicas'][number]>(`
    SELECT application_name AS name, host(client_addr) AS host, state,
      CASE WHEN NOT pg_is_in_recovery()
        THEN pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn)::bigint END AS "lagBytes",
      extract(epoch FROM replay_lag)::float8 AS "lagSeconds"
    FROM pg_stat_replication ORDER BY application_name`);
}

/** About how many vectors there are: from the statistics of the table, which cost nothing. */
export async function vectorCount(server: Sql): Promise<number> {
  const [row] = await server.query<{ readonly count: number }>(
    `SELECT greatest(sum(reltuples), 0)::bigint AS count FROM pg_class
     JOIN pg_namespace ON pg_namespace.oid = relnamespace
     WHERE nspname = 'svc' AND relname = 'embeddings' AND relkind = 'r'`,
  );
  return row?.count ?? 0;
}

interface OriginsOptions {
  /** Only this agent's; default: all. */
  readonly agent: string | undefined;
  /** Removes the origin of this name. */
  readonly forget: string | undefined;
  /** Asked before anything is removed. */
  readonly agrees: () => Promise<boolean>;
  /** Shows that it takes a while. */
  readonly whileRemoving: (remove: () => Promise<void>) => Promise<void>;
}

/**
 * The hosts that index into shared memories, after removing one if asked to.
 *
 * @throws SvcError AGENT_UNKNOWN, ORIGIN_UNKNOWN, STORAGE_*; USAGE without `storage.url`
 */
export async function storageOrigins(
  context: EngineContext,
  loaded: LoadedConfig,
  { agent, forget, agrees, whileRemoving }: OriginsOptions,
): Promise<StorageOriginsOutput> {
  const server = await openCurrentServer(context, loaded.resolved);
  const known = await listOrigins(server, agent);
  // Hosts can share memories of agents that this one does not have.
  if (agent !== undefined && known.length === 0) resolveAgent(loaded, agent, context);
  if (forget === undefined) return { origins: known.map(originOutput), forgotten: [] };
  const forgotten = known.filter(({ name }) => name === forget);
  if (forgotten.length === 0) {
    throw new SvcError('ORIGIN_UNKNOWN', `no host named ${forget} indexes into a shared memory`, {
      hint: '"svc storage origins" lists them',
    });
  }
  if (!(await agrees())) return { origins: known.map(originOutput), forgotten: [] };
  await whileRemoving(async () => {
    for (const { agent: owner } of forgotten) {
      await forgetOrigin(server, { agent: owner, origin: forget });
    }
  });
  const remaining = await listOrigins(server, agent);
  return { origins: remaining.map(originOutput), forgotten: forgotten.map(originOutput) };
}

function originOutput({ agent, name, documents, chunks, syncedMs, seenMsAgo }: Origin) {
  return {
    agent,
    origin: name,
    documents,
    chunks,
    lastSync: syncedMs === null ? null : iso(syncedMs),
    seenSecondsAgo: Math.max(0, Math.round(seenMsAgo / 1000)),
  };
}

/** What the role of the URL may do, in the words of GRANT. */
interface RoleRights {
  readonly role: string;
  /** Whether it may read which migrations have run. */
  readonly mayRead: boolean;
  /** The statement that an administrator runs so that hosts can work; undefined if nothing is missing. */
  readonly grantToUse: string | undefined;
}

/** Checks the rights on the tables that there are. @throws SvcError STORAGE_* */
async function roleRights(server: Sql): Promise<RoleRights> {
  const [{ role, mayUse } = { role: '', mayUse: false }] = await server.query<{
    role: string;
    mayUse: boolean;
  }>(`SELECT quote_ident(current_user) AS role,
        coalesce(bool_and(has_schema_privilege(oid, 'USAGE')), true) AS "mayUse"
      FROM pg_namespace WHERE nspname = 'svc'`);
  if (!mayUse) return { role, mayRead: false, grantToUse: grantsTo(role) };
  const tables = await server.query<{ name: string; mayRead: boolean; mayWrite: boolean }>(
    // Sequences of columns need no right of their own.
    `SELECT relname AS name, has_table_privilege(pg_class.oid, 'SELECT') AS "mayRead",
       (SELECT bool_and(has_table_privilege(pg_class.oid, one))
        FROM unnest(ARRAY['INSERT', 'UPDATE', 'DELETE']) AS one) AS "mayWrite"
     FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
     WHERE nspname = 'svc' AND relkind = 'r'
     UNION ALL SELECT relname, true, has_sequence_privilege(pg_class.oid, 'USAGE')
     FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
     WHERE nspname = 'svc' AND relkind = 'S'
       AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_class.oid AND deptype = 'i')`,
  );
  // Hosts only read which migrations have run.
  const hasAllRights = tables.every(
    ({ name, mayRead, mayWrite }) => mayRead && (mayWrite || name === 'migrations'),
  );
  const canRead = tables.every(({ name, mayRead }) => mayRead || name !== 'migrations');
  return { role, mayRead: canRead, grantToUse: hasAllRights ? undefined : grantsTo(role) };
}

/**
 * The role's rights, if it may at least read which tables there are.
 *
 * @throws SvcError STORAGE_*; STORAGE_REFUSED names the statements that give the role what it lacks
 */
export async function requireReadable(server: Server): Promise<RoleRights> {
  const rights = await roleRights(server);
  if (rights.mayRead || rights.grantToUse === undefined) return rights;
  const where = describeAddress(server.address);
  throw new SvcError(
    'STORAGE_REFUSED',
    `role ${rights.role} cannot use the tables of svc on PostgreSQL at ${where}`,
    { hint: `ask an administrator to run: ${rights.grantToUse}` },
  );
}

/** The statements of docs/teams.md for a role that uses the tables but may not change their definition. */
function grantsTo(role: string): string {
  return [
    `GRANT USAGE ON SCHEMA svc TO ${role}`,
    `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA svc TO ${role}`,
    `GRANT USAGE ON ALL SEQUENCES IN SCHEMA svc TO ${role};`,
  ].join('; ');
}
