import { examples } from '../../cli/base-command.js';
import { DreamCommand } from '../../cli/dream/dream-command.js';
import { optionalArg, targetFlags } from '../../cli/flags.js';
import { type DreamUndoOutput, undoSweep, workspaceOutput } from '../../engine/dreaming/index.js';
import { renderUndo } from '../../ui/dream/candidates.js';

export default class DreamUndo extends DreamCommand {
  static override summary = 'Undo what a sweep wrote to MEMORY.md.';
  static override description =
    'Removes exactly what the sweep wrote, even if other parts of the file have changed. Entries edited since then stay and are reported. Undone claims are rejected, so the next sweep does not promote them again. Without an ID, undoes the last sweep that wrote something.';
  static override examples = examples('', '20261120T030000', '--agent main --json');
  static override args = {
    sweep: optionalArg('ID from svc dream list (default: the last that wrote).'),
  };
  static override flags = { agent: targetFlags.agent };

  async run(): Promise<DreamUndoOutput> {
    const { args, flags } = await this.parse(DreamUndo);
    const target = await this.dreamTarget(flags.agent);
    const { sweep, kept, undone } = await undoSweep(target, args.sweep, this.manualChangeOptions());
    const output = { ...workspaceOutput(target), sweep: sweep.id, undone, kept };
    this.write(renderUndo(output));
    return output;
  }
}
