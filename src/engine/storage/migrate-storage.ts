import type { LoadedConfig } from '../config/index.js';
import {
  buildVectorIndexes,
  describeAddress,
  migrate,
  missingVectorIndexes,
  openServer,
  type PendingMigration,
  pendingMigrations,
} from '../postgres/index.js';
import type { EngineContext } from '../support/context.js';
import type { StorageMigrateOutput } from './output-schemas.js';
import { requireMigrationRights, requireReadable } from './rights.js';

/** How the migrations are run. */
interface MigrateOptions {
  /** Changes nothing. */
  readonly dryRun: boolean;
  /** Called after each step. */
  readonly onApplied: (migration: PendingMigration) => void;
}

/**
 * Brings the tables to this version.
 *
 * @throws SvcError STORAGE_*; STORAGE_REFUSED names the statement that gives the role its rights
 */
export async function migrateStorage(
  context: EngineContext,
  { resolved }: LoadedConfig,
  { dryRun, onApplied }: MigrateOptions,
): Promise<StorageMigrateOutput> {
  const server = await openServer(context, resolved);
  await requireReadable(server);
  const pending = await pendingMigrations(server);
  // Other hosts may apply some of them.
  const applied: PendingMigration[] = [];
  if (pending.length > 0 && !dryRun) {
    await requireMigrationRights(server);
    await migrate(server, (migration) => {
      applied.push(migration);
      onApplied(migration);
    });
  }
  const migrations = dryRun ? pending : applied;
  const vectorIndexes = await missingVectorIndexes(server);
  if (!dryRun) await buildVectorIndexes(server, vectorIndexes);
  return { address: describeAddress(server.address), dryRun, migrations, vectorIndexes };
}
