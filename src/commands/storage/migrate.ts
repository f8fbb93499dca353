import { BaseCommand, examples } from '../../cli/base-command.js';
import { switchFlag } from '../../cli/flags.js';
import { migrationScript } from '../../engine/postgres/index.js';
import { migrateStorage, type StorageMigrateOutput } from '../../engine/storage/index.js';
import { renderMigration } from '../../ui/storage.js';

export default class StorageMigrate extends BaseCommand {
  static override summary = 'Create or update the tables on the PostgreSQL server.';
  static override description =
    'Each step is a transaction. Hosts that run it at once take turns, so each step runs once. With pgvector, it also builds indexes of vectors where there are many. With --dry-run, prints the steps as a script for psql instead.';
  static override examples = examples('--dry-run', '', '--json');
  static override flags = {
    'dry-run': switchFlag('Print the SQL and change nothing.'),
  };

  async run(): Promise<StorageMigrateOutput> {
    const { flags } = await this.parse(StorageMigrate);
    const loaded = await this.loadConfig();
    const output = await this.whileWaiting('migrating', () =>
      migrateStorage(this.context(), loaded, {
        dryRun: flags['dry-run'] ?? false,
        onApplied: ({ version, name }) => this.note(`applied ${version}: ${name}`),
      }),
    );
    const { dryRun, migrations, vectorIndexes } = output;
    const script = [
      ...(migrations.length > 0 ? [migrationScript(migrations)] : []),
      ...vectorIndexes.map((statement) => `${statement};`),
    ];
    if (dryRun && script.length > 0) this.write(script.join('\n'));
    else this.write(renderMigration(output));
    return output;
  }
}
