import { setTimeout as sleep } from 'node:timers/promises';
import { SvcError } from '../errors/index.js';
import { afterFirst } from '../support/async.js';
import { runningMs } from '../support/time.js';
import { FLOW_TABLES, HISTORY_TABLES } from './flow-tables.js';
import { MEMORY_TABLES, SHARING_TABLES } from './memory-tables.js';
import type { Server } from './server.js';
import { describeAddress } from './server-address.js';
import { serverFault } from './server-fault.js';
import type { Sql, Transaction } from './transaction.js';

/** A step from one version of the tables to the next; its number is its place in {@link MIGRATIONS}, from 1. */
interface Migration {
  /** What it adds, for people. */
  readonly name: string;
  /** Statements, each name with its schema. */
  readonly sql: string;
}

/** Runtimes whose tasks no worker can claim, on any host. */
const PAUSE_TABLE = `
CREATE TABLE svc.pauses (
  runtime text PRIMARY KEY,
  reason text,
  paused_at bigint NOT NULL
);
`;

/** The route that created a flow, notifications for several targets, and indexes for metrics. */
const TARGET_TABLES = `
ALTER TABLE svc.flows ADD COLUMN route_id text;
ALTER TABLE svc.notifications ADD COLUMN target text NOT NULL DEFAULT 'default';
ALTER TABLE svc.notifications ALTER COLUMN target DROP DEFAULT;
ALTER TABLE svc.notifications ADD COLUMN retries bigint NOT NULL DEFAULT 0;
ALTER TABLE svc.notifications ALTER COLUMN retries DROP DEFAULT;
ALTER TABLE svc.notifications DROP CONSTRAINT notifications_id_key;
ALTER TABLE svc.notifications ADD UNIQUE (id, target);
DROP INDEX svc.notifications_due;
CREATE INDEX notifications_due ON svc.notifications (target, next_attempt_at, seq)
  WHERE next_attempt_at IS NOT NULL;
DROP INDEX svc.notifications_failed;
CREATE INDEX notifications_failed ON svc.notifications (flow_id) WHERE outcome = 'failed';
CREATE INDEX tasks_ended ON svc.tasks (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX tasks_running ON svc.tasks (runtime) WHERE status = 'running';
`;

/** Until when each schedule was run, by any host. Who runs one locks its row. */
const SCHEDULE_TABLE = `
CREATE TABLE svc.schedules (
  id text COLLATE "C" PRIMARY KEY,
  rhythm text NOT NULL,
  handled_until bigint NOT NULL,
  ran_at bigint,
  scheduled_at bigint,
  flow_id text
);
`;

/** Which store of flows this is, and how much of others was copied into it. */
const COPY_TABLES = `
CREATE TABLE svc.store (id text NOT NULL);
INSERT INTO svc.store (id) VALUES (replace(gen_random_uuid()::text, '-', ''));
CREATE TABLE svc.copies (
  source text NOT NULL,
  part text NOT NULL,
  seq bigint NOT NULL,
  at bigint NOT NULL,
  PRIMARY KEY (source, part)
);
`;

/** A published step never changes: somebody's data has gone through it. */
export const MIGRATIONS: readonly Migration[] = [
  { name: 'memories', sql: MEMORY_TABLES },
  { name: 'flows', sql: FLOW_TABLES },
  { name: 'other shared data', sql: SHARING_TABLES },
  { name: 'paused runtimes of tasks', sql: PAUSE_TABLE },
  { name: 'the history of flows', sql: HISTORY_TABLES },
  { name: 'targets of notifications', sql: TARGET_TABLES },
  // What notes say about themselves, for filters: see note-facts.ts.
  {
    name: 'front matter and tags of notes',
    sql: 'ALTER TABLE svc.documents ADD COLUMN facts text;',
  },
  { name: 'schedules', sql: SCHEDULE_TABLE },
  { name: 'tasks by owner', sql: 'CREATE INDEX tasks_by_owner ON svc.tasks (owner_key, seq);' },
  // As JSON: see note-links.ts.
  { name: 'links of notes', sql: 'ALTER TABLE svc.documents ADD COLUMN links text;' },
  { name: 'copies of other stores', sql: COPY_TABLES },
  // The index before could not contain ids of more than 2,700 bytes.
  {
    name: 'long ids of runs',
    sql: `DROP INDEX svc.tasks_by_run;
      CREATE INDEX tasks_by_run ON svc.tasks USING hash (run_id) WHERE run_id IS NOT NULL;`,
  },
  {
    name: 'notifications in delivery',
    sql: `CREATE INDEX notifications_in_delivery ON svc.notifications (target, next_attempt_at)
      WHERE attempts > 0 AND last_error IS NULL AND next_attempt_at IS NOT NULL;`,
  },
];

/** The version of the tables that this svc knows. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/** The oldest supported server. */
export const OLDEST_SERVER = 15;

/** What to do about a database that stores text in another way. */
export const UTF8_HINT = "create a database with ENCODING 'UTF8' TEMPLATE template0";

/** What a server is, and which tables of svc it has. */
interface ServerState {
  /** Like 15.4. */
  readonly version: string;
  /** How many migrations have run; 0 without tables. */
  readonly schemaVersion: number;
  /** How the database encodes text. */
  readonly encoding: string;
}

/** A migration that has not run yet. */
export interface PendingMigration extends Migration {
  readonly version: number;
}

/** Reads the state of a server, whatever it is. @throws SvcError STORAGE_UNREACHABLE, STORAGE_REFUSED */
export async function serverState(server: Sql): Promise<ServerState> {
  const settings = `current_setting('server_version') AS version, current_setting('server_encoding') AS encoding`;
  try {
    const [row] = await server.query<ServerState>(
      `SELECT ${settings}, coalesce(max(version), 0)::int AS "schemaVersion" FROM svc.migrations`,
    );
    return row ?? { version: '', schemaVersion: 0, encoding: '' };
  } catch (error) {
    if (!(error instanceof SvcError) || serverFault(error.cause) !== 'schema') throw error;
    // In a transaction, nothing can be read after that.
    const [row] = await server
      .query<ServerState>(`SELECT ${settings}, 0 AS "schemaVersion"`)
      .catch(() => Promise.reject(error));
    return row ?? { version: '', schemaVersion: 0, encoding: '' };
  }
}

/**
 * Checks that a server can be used as it is.
 *
 * @param sql reads from it
 * @throws SvcError STORAGE_UNSUPPORTED, STORAGE_OUTDATED, STORAGE_NEWER
 */
export async function requireCurrent(server: Server, sql: Sql = server): Promise<void> {
  const [next] = await pendingMigrations(server, sql);
  if (next === undefined) return;
  const state = next.version === 1 ? 'has no tables of svc yet' : 'has tables of an older svc';
  const where = describeAddress(server.address);
  throw new SvcError('STORAGE_OUTDATED', `PostgreSQL at ${where} ${state}`, {
    hint: 'run "svc storage migrate"',
  });
}

/**
 * Reads from a server, and checks it in the same round trip, as {@link requireCurrent} does.
 *
 * @throws SvcError STORAGE_*
 */
export async function readCurrent<T>(server: Server, read: (sql: Sql) => Promise<T>): Promise<T> {
  return server.reading(async (sql) => {
    // Tables of another version can also be why they cannot be read.
    const [, answer] = await afterFirst(requireCurrent(server, sql), read(sql));
    return answer;
  });
}

/**
 * The migrations that a server still needs.
 *
 * @throws SvcError STORAGE_UNSUPPORTED, STORAGE_NEWER
 */
export async function pendingMigrations(
  server: Server,
  sql: Sql = server,
): Promise<readonly PendingMigration[]> {
  const { version, schemaVersion, encoding } = await serverState(sql);
  const where = describeAddress(server.address);
  if (Number.parseInt(version, 10) < OLDEST_SERVER) {
    throw new SvcError('STORAGE_UNSUPPORTED', `PostgreSQL at ${where} is version ${version}`, {
      hint: `svc needs PostgreSQL ${OLDEST_SERVER} or newer`,
    });
  }
  // The doctor reports a database that already has tables.
  if (schemaVersion === 0 && encoding !== 'UTF8') {
    throw new SvcError('STORAGE_UNSUPPORTED', `the database ${where} stores text as ${encoding}`, {
      hint: UTF8_HINT,
    });
  }
  if (schemaVersion > SCHEMA_VERSION) {
    throw new SvcError(
      'STORAGE_NEWER',
      `a newer svc made the tables on PostgreSQL at ${where} (version ${schemaVersion}, this one knows ${SCHEMA_VERSION})`,
      { hint: 'update svc on this host: svc upgrade' },
    );
  }
  return pendingAfter(schemaVersion);
}

/**
 * Brings the tables to this version, each step in a transaction. Hosts that do so at once take turns, so each step
 * runs once.
 *
 * @param onApplied called after each step
 * @throws SvcError STORAGE_UNSUPPORTED, STORAGE_NEWER, STORAGE_REFUSED
 */
export async function migrate(
  server: Server,
  onApplied: (migration: PendingMigration) => void = () => undefined,
): Promise<void> {
  await pendingMigrations(server);
  const untilMs = runningMs() + LONGEST_WAIT_MS;
  for (;;) {
    try {
      const applied = await server.transaction(applyNext, { lockWaitMs: LOCK_WAIT_MS });
      if (applied === undefined) return;
      onApplied(applied);
    } catch (error) {
      const isLocked = error instanceof SvcError && serverFault(error.cause) === 'locked';
      if (!isLocked || runningMs() >= untilMs) throw error;
      await sleep(LOCK_WAIT_MS);
    }
  }
}

/**
 * How long a step waits for others at a time. While it waits for a table that somebody reads, for example a backup,
 * every statement of other hosts about that table waits behind it.
 */
const LOCK_WAIT_MS = 2000;
/** How long it tries again. */
const LONGEST_WAIT_MS = 3_600_000;

/** Applies one step. @returns undefined if there is none left */
async function applyNext(transaction: Transaction): Promise<PendingMigration | undefined> {
  // Held until the transaction ends, so it works behind a pooler too.
  await transaction.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
  await createSchema(transaction);
  const [row] = await transaction.query<{ version: number }>(
    'SELECT coalesce(max(version), 0)::int AS version FROM svc.migrations',
  );
  const [next] = pendingAfter(row?.version ?? 0);
  if (next === undefined) return undefined;
  await transaction.run(next.sql);
  await transaction.run('INSERT INTO svc.migrations (version) VALUES ($1)', [next.version]);
  return next;
}

/** The lock of who migrates; any number that only svc uses: "svcm". */
export const MIGRATION_LOCK = 0x7376636d;

async function createSchema(sql: Sql): Promise<void> {
  await sql.run(CREATE_SCHEMA);
  const [existing] = await sql.query(
    "SELECT 1 FROM pg_tables WHERE schemaname = 'svc' AND tablename = 'migrations'",
  );
  if (existing !== undefined) return;
  await sql.run(CREATE_MIGRATIONS);
}

/** `CREATE SCHEMA IF NOT EXISTS` would need the right to create one even where it exists. */
const CREATE_SCHEMA = `DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_namespace WHERE nspname = 'svc') THEN CREATE SCHEMA svc; END IF;
END $$`;
const CREATE_MIGRATIONS =
  'CREATE TABLE svc.migrations (version int PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())';

/** The same steps as a script for psql, all or nothing. */
export function migrationScript(pending: readonly PendingMigration[]): string {
  const isFirst = pending[0]?.version === 1;
  return [
    'BEGIN;',
    ...(isFirst ? [`${CREATE_SCHEMA};`, `${CREATE_MIGRATIONS};`] : []),
    ...pending.map(({ version, name, sql }) => {
      const statements = `${sql.trim().replace(/;$/u, '')};`;
      return `\n-- ${version}: ${name}\n${statements}\nINSERT INTO svc.migrations (version) VALUES (${version});`;
    }),
    '\nCOMMIT;',
  ].join('\n');
}

/** The migrations between a version of the tables and this one. */
export function pendingAfter(schemaVersion: number): PendingMigration[] {
  return MIGRATIONS.map((migration, at) => ({ ...migration, version: at + 1 })).slice(
    schemaVersion,
  );
}
