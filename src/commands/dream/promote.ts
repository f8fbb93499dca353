import { examples } from '../../cli/base-command.js';
import { claimArgs, claimToDecide, DreamCommand } from '../../cli/dream/dream-command.js';
import { targetFlags } from '../../cli/flags.js';
import {
  type DreamPromoteOutput,
  decisionOutput,
  promoteClaim,
  workspaceOutput,
} from '../../engine/dreaming/index.js';
import { renderPromotion } from '../../ui/dream/candidates.js';

export default class DreamPromote extends DreamCommand {
  static override aliases = ['memory:promote'];
  static override summary = 'Promote a claim regardless of its score.';
  static override description =
    'Writes one claim to MEMORY.md with the same checks as a sweep: its note must still contain it (otherwise exits with 1), and MEMORY.md must not contain it yet. Counts as a sweep, so you can undo it with svc dream undo.';
  static override examples = examples('3f9a01bc', '3f9a01bc --agent main --json');
  static override args = claimArgs;
  static override flags = { agent: targetFlags.agent };

  async run(): Promise<DreamPromoteOutput> {
    const { args, flags } = await this.parse(DreamPromote);
    const target = await this.dreamTarget(flags.agent);
    const { key } = await claimToDecide(target, args.claim, this.signal);
    const { decision, sweep } = await promoteClaim(target, key, this.manualChangeOptions());
    const output: DreamPromoteOutput = {
      ...workspaceOutput(target),
      ...decisionOutput(decision),
      sweep: sweep.memoryState === null ? null : sweep.id,
    };
    this.write(renderPromotion(output, this.view()));
    if (decision.decision === 'skip') this.setExitCode(1);
    return output;
  }
}
