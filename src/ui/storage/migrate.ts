import type { StorageMigrateOutput } from '../../engine/storage/index.js';
import { formatCountOf } from '../../engine/support/format.js';
import { safeLine } from '../safe-text.js';

/** The last line of `svc storage migrate`. */
export function renderMigrated({ address, migrations }: StorageMigrateOutput): string {
  const where = safeLine(address);
  return migrations.length === 0
    ? `nothing to do: the tables on ${where} are up to date\n`
    : `applied ${formatCountOf(migrations.length, 'migration')} on ${where}\n`;
}
