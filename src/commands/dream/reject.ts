import { examples } from '../../cli/base-command.js';
import { claimArgs, claimToDecide, DreamCommand } from '../../cli/dream/dream-command.js';
import { targetFlags } from '../../cli/flags.js';
import {
  claimOutput,
  type DreamRejectOutput,
  setClaimFate,
  workspaceOutput,
} from '../../engine/dreaming/index.js';
import { renderRejection } from '../../ui/dream/candidates.js';

export default class DreamReject extends DreamCommand {
  static override summary = 'Reject a claim, so that no sweep promotes it.';
  static override description =
    'Changes neither the note nor MEMORY.md; to remove an existing entry, use svc dream undo. svc dream promote overrides a rejection.';
  static override examples = examples('3f9a01bc', '3f9a01bc --agent main --json');
  static override args = claimArgs;
  static override flags = { agent: targetFlags.agent };

  async run(): Promise<DreamRejectOutput> {
    const { args, flags } = await this.parse(DreamReject);
    const target = await this.dreamTarget(flags.agent);
    const entry = await claimToDecide(target, args.claim, this.signal);
    const sweep = await setClaimFate(target, entry.key, 'rejected', this.manualChangeOptions());
    const output = { ...workspaceOutput(target), ...claimOutput(entry) };
    const before = { wasPromoted: entry.fate === 'promoted', sweep };
    this.write(renderRejection(output, before, this.view()));
    return output;
  }
}
