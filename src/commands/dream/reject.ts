import { claimToDecide } from '../../cli/dream/claim-to-decide.js';
import { DreamCommand } from '../../cli/dream/dream-command.js';
import { targetFlags } from '../../cli/flags.js';
import { claimArgs } from '../../cli/record-args.js';
import { rejectClaim } from '../../engine/dreaming/decide-by-hand.js';
import { claimOutput, placeOutput } from '../../engine/dreaming/output.js';
import type { DreamRejectOutput } from '../../engine/dreaming/output-schemas.js';
import { renderRejection } from '../../ui/dream/decisions.js';

export default class DreamReject extends DreamCommand<DreamRejectOutput> {
  static override summary = 'Reject a claim: no sweep promotes it from now on.';
  static override description =
    'Changes neither the note nor MEMORY.md; an entry that is there already is taken back with svc dream undo. svc dream promote goes before an earlier rejection.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> 3f9a01bc',
    '<%= config.bin %> <%= command.id %> 3f9a01bc --agent main --json',
  ];
  static override args = claimArgs;
  static override flags = { agent: targetFlags.agent };

  async run(): Promise<DreamRejectOutput> {
    const { args, flags } = await this.parse(DreamReject);
    const target = await this.dreamTarget(flags);
    const entry = await claimToDecide(target, args.claim, this.signal);
    await rejectClaim(target, entry.key, this.handOptions());
    const output = { ...placeOutput(target), ...claimOutput(entry) };
    this.write(renderRejection(output));
    return output;
  }
}
