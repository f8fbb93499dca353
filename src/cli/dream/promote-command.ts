import { promoteClaim } from '../../engine/dreaming/decide-by-hand.js';
import { decisionOutput, placeOutput } from '../../engine/dreaming/output.js';
import type { DreamPromoteOutput } from '../../engine/dreaming/output-schemas.js';
import { renderPromotion } from '../../ui/dream/decisions.js';
import { targetFlags } from '../flags.js';
import { claimArgs } from '../record-args.js';
import { claimToDecide } from './claim-to-decide.js';
import { DreamCommand } from './dream-command.js';

/**
 * `svc dream promote` under one of its names. A class for each of them: oclif writes the name into the class,
 * and reads what the command takes from the class itself.
 */
export function dreamPromoteCommand() {
  return class DreamPromoteCommand extends DreamCommand<DreamPromoteOutput> {
    static override summary = 'Promote a claim by hand, whatever its score.';
    static override description =
      'Writes one claim into MEMORY.md, with the same care as a sweep: it must still stand in its note (exits with 1 when it does not), and what MEMORY.md says already is not said again. It counts as a sweep of its own, which svc dream undo takes back.';
    static override examples = [
      '<%= config.bin %> <%= command.id %> 3f9a01bc',
      '<%= config.bin %> <%= command.id %> 3f9a01bc --agent main --json',
    ];
    static override args = claimArgs;
    static override flags = { agent: targetFlags.agent };

    async run(): Promise<DreamPromoteOutput> {
      const { args, flags } = await this.parse(DreamPromoteCommand);
      const target = await this.dreamTarget(flags);
      const { key } = await claimToDecide(target, args.claim, this.signal);
      const { decision, sweep } = await promoteClaim(target, key, this.handOptions());
      const output: DreamPromoteOutput = {
        ...placeOutput(target),
        ...decisionOutput(decision),
        sweep: sweep.memory.state === 'untouched' ? null : sweep.id,
      };
      this.write(renderPromotion(output));
      if (decision.decision === 'skip') this.setExitCode(1);
      return output;
    }
  };
}
