import { examples } from '../../cli/base-command.js';
import { DreamCommand } from '../../cli/dream/dream-command.js';
import { requiredArg, targetFlags } from '../../cli/flags.js';
import {
  type DreamExplainOutput,
  explainClaim,
  explainOutput,
} from '../../engine/dreaming/index.js';
import { renderExplanation } from '../../ui/dream/candidates.js';

export default class DreamExplain extends DreamCommand {
  static override aliases = ['memory:promote-explain'];
  static override summary = 'Explain why a claim is or is not promoted.';
  static override description =
    'Shows every signal with its weight, every gate, whether its note still contains the claim, and how it relates to MEMORY.md. Pass the key, a prefix of the key, or the text; a similar text finds the closest claim.';
  static override examples = examples(
    '3f9a01bc',
    '"the nightly backup runs at 02:30"',
    '3f9a01bc --agent main --json',
  );
  static override args = { claim: requiredArg('A key, a key prefix, or text.') };
  static override flags = { agent: targetFlags.agent };

  async run(): Promise<DreamExplainOutput> {
    const { args, flags } = await this.parse(DreamExplain);
    const target = await this.dreamTarget(flags.agent);
    const { style, nowMs } = this.view();
    const { signal } = this;
    const explanation = await this.whileWaiting('reading notes', () =>
      explainClaim(target, args.claim, { nowMs, signal }),
    );
    const output = explainOutput(target, explanation, nowMs);
    this.write(renderExplanation(output, style));
    return output;
  }
}
