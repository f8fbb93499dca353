import { examples } from '../../cli/base-command.js';
import { DreamCommand } from '../../cli/dream/dream-command.js';
import { optionalArg, targetFlags } from '../../cli/flags.js';
import {
  type DreamShowOutput,
  findSweep,
  showOutput,
  withCurrentDreams,
} from '../../engine/dreaming/index.js';
import { renderSweep } from '../../ui/dream/sweeps.js';

export default class DreamShow extends DreamCommand {
  static override summary = 'Show one sweep: its phases and its changes to MEMORY.md.';
  static override examples = examples('', '20261120T030000', '20261120T030000 --agent main --json');
  static override args = {
    sweep: optionalArg('ID from svc dream list (default: the last sweep).'),
  };
  static override flags = { agent: targetFlags.agent };

  async run(): Promise<DreamShowOutput> {
    const { args, flags } = await this.parse(DreamShow);
    const target = await this.dreamTarget(flags.agent);
    const sweep = await withCurrentDreams(target, this.signal, (dreams) =>
      findSweep(dreams.sweeps, args.sweep),
    );
    const output = showOutput(target, sweep);
    this.write(renderSweep(output, this.view().style));
    return output;
  }
}
