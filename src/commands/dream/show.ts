import * as Args from '@oclif/core/args';
import { DreamCommand } from '../../cli/dream/dream-command.js';
import { targetFlags } from '../../cli/flags.js';
import { withCurrentDreams } from '../../engine/dreaming/current-dreams.js';
import { findSweep } from '../../engine/dreaming/find-sweep.js';
import { showOutput } from '../../engine/dreaming/output.js';
import type { DreamShowOutput } from '../../engine/dreaming/output-schemas.js';
import { renderSweep } from '../../ui/dream/sweeps.js';

export default class DreamShow extends DreamCommand<DreamShowOutput> {
  static override summary = 'Show one sweep: its phases, and what it changed in MEMORY.md.';
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> 20261120T030000',
    '<%= config.bin %> <%= command.id %> 20261120T030000 --agent main --json',
  ];
  static override args = {
    sweep: Args.string({
      description: 'Its id, as svc dream list shows it; the last one without.',
    }),
  };
  static override flags = { agent: targetFlags.agent };

  async run(): Promise<DreamShowOutput> {
    const { args, flags } = await this.parse(DreamShow);
    const target = await this.dreamTarget(flags);
    const sweep = await withCurrentDreams(target, this.signal, (dreams) =>
      findSweep(dreams?.sweeps, args.sweep),
    );
    const output = showOutput(target, sweep);
    this.write(renderSweep(output, this.view(flags).style));
    return output;
  }
}
