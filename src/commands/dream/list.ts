import { examples } from '../../cli/base-command.js';
import { DreamCommand } from '../../cli/dream/dream-command.js';
import { limitFlag, targetFlags } from '../../cli/flags.js';
import {
  type DreamListOutput,
  sweepOutput,
  withCurrentDreams,
  workspaceOutput,
} from '../../engine/dreaming/index.js';
import { renderSweeps } from '../../ui/dream/sweeps.js';

export default class DreamList extends DreamCommand {
  static override summary = 'List past sweeps, newest first.';
  static override examples = examples('', '--agent main --limit 100 --json');
  static override flags = {
    agent: targetFlags.agent,
    limit: limitFlag(20),
  };

  async run(): Promise<DreamListOutput> {
    const { flags } = await this.parse(DreamList);
    const target = await this.dreamTarget(flags.agent);
    const sweeps = await withCurrentDreams(target, this.signal, (dreams) =>
      dreams.sweeps.list(flags.limit),
    );
    const output = { ...workspaceOutput(target), sweeps: sweeps.map(sweepOutput) };
    this.write(renderSweeps(output, this.view()));
    return output;
  }
}
