import * as Args from '@oclif/core/args';
import { DreamCommand } from '../../cli/dream/dream-command.js';
import { targetFlags } from '../../cli/flags.js';
import { undo } from '../../engine/dreaming/decide-by-hand.js';
import { placeOutput } from '../../engine/dreaming/output.js';
import type { DreamUndoOutput } from '../../engine/dreaming/output-schemas.js';
import { renderUndo } from '../../ui/dream/decisions.js';

export default class DreamUndo extends DreamCommand<DreamUndoOutput> {
  static override summary = 'Take back what a sweep wrote into MEMORY.md.';
  static override description =
    'Exactly what the sweep wrote goes, also when the file was edited around it. An entry that somebody edited since is theirs and stays; that is told. What is taken back counts as rejected: the next night does not bring it again. Without an id the last sweep that wrote is meant.';
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> 20261120T030000',
    '<%= config.bin %> <%= command.id %> --agent main --json',
  ];
  static override args = {
    sweep: Args.string({ description: 'Its id, as svc dream list shows it.' }),
  };
  static override flags = { agent: targetFlags.agent };

  async run(): Promise<DreamUndoOutput> {
    const { args, flags } = await this.parse(DreamUndo);
    const target = await this.dreamTarget(flags);
    const { sweep, kept, undone } = await undo(target, args.sweep, this.handOptions());
    const output = { ...placeOutput(target), sweep: sweep.id, undone, kept };
    this.write(renderUndo(output));
    return output;
  }
}
