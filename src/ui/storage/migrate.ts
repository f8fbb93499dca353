import type { StorageMigrateOutput } from '../../engine/storage/index.js';
import { formatCountOf } from '../../engine/support/format.js';
import { safeLine } from '../safe-text.js';

/** The last line of `svc storage migrate`. */
export function renderMigrated({
  address,
  migrations,
  vectorIndexes,
}: StorageMigrateOutput): string {
  const where = safeLine(address);
  const done = [
    ...(migrations.length === 0
      ? []
      : [`applied ${formatCountOf(migrations.length, 'migration')}`]),
    ...(vectorIndexes.length === 0
      ? []
      : [`built ${formatCountOf(vectorIndexes.length, 'vector index', 'vector indexes')}`]),
  ];
  return done.length === 0
    ? `nothing to do: the tables on ${where} are up to date\n`
    : `${done.join(' and ')} on ${where}\n`;
}
