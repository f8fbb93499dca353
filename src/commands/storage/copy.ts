import * as Flags from '@oclif/core/flags';
import { BaseCommand, examples } from '../../cli/base-command.js';
import { switchFlag } from '../../cli/flags.js';
import { copyStorage, type StorageCopyOutput } from '../../engine/storage/index.js';
import { createCopyProgress, renderCopy } from '../../ui/storage.js';

export default class StorageCopy extends BaseCommand {
  static override summary = 'Copy flows and vectors to the server, or back to files.';
  static override description =
    `Copies flows, tasks, notifications, kept answers, vectors and recalls, in small transactions, then compares both stores. The source is never changed or deleted. You can interrupt it at any time: the next run continues. A row that is newer in the target stays.

Documents are not copied. The next "svc memory index" makes them again and finds their vectors, so it pays for nothing. Nobody may use the source meanwhile: stop svc serve and the workers first.`;
  static override examples = examples(
    '--to postgres --dry-run',
    '--to postgres',
    '--to sqlite --json',
  );
  static override flags = {
    to: Flags.option({
      options: ['postgres', 'sqlite'] as const,
      summary: 'Where to copy to; the other store is the source.',
      required: true,
    })(),
    'dry-run': switchFlag('Show how much there is and copy nothing.'),
  };

  async run(): Promise<StorageCopyOutput> {
    const { flags } = await this.parse(StorageCopy);
    const view = this.view();
    const context = this.context();
    const dryRun = flags['dry-run'] ?? false;
    if (!dryRun) this.interruptHint = 'copied rows are kept; run it again to copy the rest';
    const printProgress = createCopyProgress((line) => this.note(line), context.clock.now);
    const output = await copyStorage(context, await this.loadConfig(), {
      to: flags.to,
      dryRun,
      signal: this.signal,
      onProgress: flags.quiet ? () => undefined : printProgress,
    });
    this.write(renderCopy(output, view.style));
    if (!output.dryRun && !output.verified) this.setExitCode(1);
    return output;
  }
}
