import { SweepCommand } from '../../cli/dream/run-command.js';
import { targetFlags } from '../../cli/flags.js';
import type { DreamRunOutput } from '../../engine/dreaming/output-schemas.js';

export default class MemoryRemHarness extends SweepCommand {
  static override summary = 'Preview a sweep: what it would promote, and the patterns it sees.';
  static override description =
    'A dry run of svc dream run that shows the report of the REM phase too. Nothing is written.';
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --agent main --json',
  ];
  static override flags = { agent: targetFlags.agent };

  async run(): Promise<DreamRunOutput> {
    const { flags } = await this.parse(MemoryRemHarness);
    return this.sweep(flags, { only: undefined, dryRun: true, remReport: true });
  }
}
