import { examples } from '../../cli/base-command.js';
import { SweepCommand } from '../../cli/dream/sweep-command.js';
import { choicesFlag, switchFlag, targetFlags } from '../../cli/flags.js';
import { type DreamRunOutput, PHASES } from '../../engine/dreaming/index.js';

export default class DreamRun extends SweepCommand {
  static override aliases = ['dream', 'memory:dream'];
  static override summary = 'Consolidate memory now: promote useful facts to MEMORY.md.';
  static override description =
    `Runs a sweep over the workspaces of all agents in turn. The light phase gathers statements from recent notes, the REM phase finds recurring themes, and the deep phase promotes claims that pass every gate. No model is needed.

If a phase or a workspace fails, the others still run and the command exits with 1. It works whether or not dreaming is enabled, and as often as you like: nothing is counted twice. Undo with svc dream undo.`;
  static override examples = examples(
    '',
    '--dry-run',
    '--agent main --phase light --phase rem --json',
  );
  static override flags = {
    agent: targetFlags.agent,
    phase: choicesFlag(PHASES, 'Run only this phase, even if it is disabled.'),
    'dry-run': switchFlag('Show what would change without writing anything.'),
  };

  async run(): Promise<DreamRunOutput> {
    const { flags } = await this.parse(DreamRun);
    const { agent, phase: only, 'dry-run': dryRun = false } = flags;
    return this.sweep({ agent, only, dryRun, remReport: false });
  }
}
