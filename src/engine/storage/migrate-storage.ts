import type { LoadedConfig } from '../config/index.js';
import { SvcError } from '../errors/index.js';
import {
  describeAddress,
  migrate,
  missingVectorIndexes,
  openServer,
  type PendingMigration,
  pendingMigrations,
  type Server,
} from '../postgres/index.js';
import type { EngineContext } from '../support/context.js';
import type { StorageMigrateOutput } from './output-schemas.js';
import { requireReadable } from './server-status.js';

/**
 * Brings the tables to this version.
 *
 * @throws SvcError STORAGE_*; STORAGE_REFUSED names the statement that gives the role its rights
 */
export async function migrateStorage(
  context: EngineContext,
  { resolved }: LoadedConfig,
  {
    dryRun,
    onApplied,
  }: {
    readonly dryRun: boolean;
    /** Called after each step. */
    readonly onApplied: (migration: PendingMigration) => void;
  },
): Promise<StorageMigrateOutput> {
  const server = await openServer(context, resolved);
  await requireReadable(server);
  const pending = await pendingMigrations(server);
  const address = describeAddress(server.address);
  if (dryRun) {
    const vectorIndexes = await missingVectorIndexes(server);
    return { address, dryRun, migrations: pending, vectorIndexes };
  }
  // Other hosts may apply some of them.
  const applied: PendingMigration[] = [];
  // A step, or waiting for the turn of another host, takes as long as the tables are large.
  const longRunning = server.forLongStatements();
  try {
    if (pending.length > 0) {
      await requireMigrationRights(server);
      await migrate(longRunning, (migration) => {
        applied.push(migration);
        onApplied(migration);
      });
    }
    const vectorIndexes = await missingVectorIndexes(server);
    // It takes minutes for a million vectors; none can be stored meanwhile.
    for (const statement of vectorIndexes) await longRunning.run(statement);
    return { address, dryRun, migrations: applied, vectorIndexes };
  } finally {
    await longRunning.close();
  }
}

/**
 * Checks, before anything is changed, that the role can migrate.
 *
 * @throws SvcError STORAGE_REFUSED with the statement that an administrator has to run
 */
async function requireMigrationRights(server: Server): Promise<void> {
  const [rights] = await server.query<{
    role: string;
    /** Null without a schema. */
    owner: string | null;
    mayCreateSchema: boolean;
    ownsAll: boolean;
  }>(`
    SELECT quote_ident(current_user) AS role,
      (SELECT quote_ident(pg_get_userbyid(nspowner)) FROM pg_namespace
        WHERE nspname = 'svc') AS owner,
      has_database_privilege(current_database(), 'CREATE') AS "mayCreateSchema",
      NOT EXISTS (SELECT FROM pg_namespace WHERE nspname = 'svc'
        AND NOT (pg_has_role(current_user, nspowner, 'USAGE')
          AND has_schema_privilege(oid, 'CREATE'))) AS "ownsAll"`);
  if (rights === undefined) return;
  const { role, owner, mayCreateSchema, ownsAll } = rights;
  const where = describeAddress(server.address);
  if (owner === null && !mayCreateSchema) {
    throw new SvcError(
      'STORAGE_REFUSED',
      `role ${role} cannot create the schema svc on PostgreSQL at ${where}`,
      { hint: `ask an administrator to run: CREATE SCHEMA svc AUTHORIZATION ${role};` },
    );
  }
  if (owner !== null && !ownsAll) {
    throw new SvcError(
      'STORAGE_REFUSED',
      `role ${role} cannot change the tables of svc on PostgreSQL at ${where}: ${owner} owns them`,
      {
        hint: `run it with the URL of ${owner}, or ask an administrator to run: GRANT ${owner} TO ${role};`,
      },
    );
  }
}
