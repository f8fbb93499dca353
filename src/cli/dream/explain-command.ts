import * as Args from '@oclif/core/args';
import { withCurrentDreams } from '../../engine/dreaming/current-dreams.js';
import { realWorkspaceDir } from '../../engine/dreaming/dream-workspace.js';
import { explainClaim } from '../../engine/dreaming/explain-claim.js';
import { explainOutput } from '../../engine/dreaming/explain-output.js';
import { findClaim } from '../../engine/dreaming/find-claim.js';
import type { DreamExplainOutput } from '../../engine/dreaming/output-schemas.js';
import { openSources } from '../../engine/dreaming/sweep/dream-sources.js';
import { renderExplanation } from '../../ui/dream/explain.js';
import { targetFlags } from '../flags.js';
import { DreamCommand } from './dream-command.js';

/**
 * `svc dream explain` under one of its names. A class for each of them: oclif writes the name into the class,
 * and reads what the command takes from the class itself.
 */
export function dreamExplainCommand() {
  return class DreamExplainCommand extends DreamCommand<DreamExplainOutput> {
    static override summary = 'Say why a claim is, or is not, promoted.';
    static override description =
      'Every signal with its weight and what it adds, every gate passed or failed, what the note says now, and how the claim stands to MEMORY.md. The claim is named by its key, the beginning of its key, or its text; a text that is only alike finds the claim most like it.';
    static override examples = [
      '<%= config.bin %> <%= command.id %> 3f9a01bc',
      '<%= config.bin %> <%= command.id %> "the nightly backup runs at 02:30"',
      '<%= config.bin %> <%= command.id %> 3f9a01bc --agent main --json',
    ];
    static override args = {
      claim: Args.string({ required: true, description: 'A key, its beginning, or a text.' }),
    };
    static override flags = { agent: targetFlags.agent };

    async run(): Promise<DreamExplainOutput> {
      const { args, flags } = await this.parse(DreamExplainCommand);
      const target = await this.dreamTarget(flags);
      const { style, nowMs } = this.view(flags);
      const entry = await withCurrentDreams(target, this.signal, (dreams) =>
        findClaim(dreams?.entries, args.claim),
      );
      const dir = realWorkspaceDir(target.workspace);
      const sources = await openSources(dir, target.reach);
      const explanation = explainClaim(entry, dir, sources, target.settings, nowMs);
      const output = explainOutput(target, explanation, nowMs);
      this.write(renderExplanation(output, style));
      return output;
    }
  };
}
