import { examples } from '../../cli/base-command.js';
import { SweepCommand } from '../../cli/dream/sweep-command.js';
import { targetFlags } from '../../cli/flags.js';
import type { DreamRunOutput } from '../../engine/dreaming/index.js';

export default class MemoryRemHarness extends SweepCommand {
  static override summary = 'Preview a sweep: its promotions and patterns.';
  static override description =
    'A dry run of "svc dream run" that also shows the report of the REM phase. Writes nothing.';
  static override examples = examples('', '--agent main --json');
  static override flags = { agent: targetFlags.agent };

  async run(): Promise<DreamRunOutput> {
    const { flags } = await this.parse(MemoryRemHarness);
    const { agent } = flags;
    return this.sweep({ agent, only: undefined, dryRun: true, remReport: true });
  }
}
