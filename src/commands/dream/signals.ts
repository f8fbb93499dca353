import { examples } from '../../cli/base-command.js';
import { DreamCommand } from '../../cli/dream/dream-command.js';
import { limitFlag, switchFlag, targetFlags } from '../../cli/flags.js';
import {
  type DreamSignalsOutput,
  recalledClaims,
  recalledOutput,
  withCurrentDreams,
  workspaceOutput,
} from '../../engine/dreaming/index.js';
import { renderSignals } from '../../ui/dream/candidates.js';

export default class DreamSignals extends DreamCommand {
  static override summary = 'List claims that searches recalled, newest first.';
  static override description =
    'Shows for each short-term claim how often it answered a search, its diversity (the number of different questions or days), how well it answered, and its status. The questions themselves are not stored.';
  static override examples = examples('', '--all --limit 100', '--agent main --json');
  static override flags = {
    agent: targetFlags.agent,
    all: switchFlag('Include claims that no search has recalled.'),
    limit: limitFlag(20, 50_000),
  };

  async run(): Promise<DreamSignalsOutput> {
    const { flags } = await this.parse(DreamSignals);
    const target = await this.dreamTarget(flags.agent);
    const claims = await withCurrentDreams(target, this.signal, ({ entries }) =>
      recalledClaims(entries, flags.all),
    );
    const output = {
      ...workspaceOutput(target),
      total: claims.length,
      claims: claims.slice(0, flags.limit).map(recalledOutput),
    };
    this.write(renderSignals(output, { ...this.view(), isOn: target.settings.enabled }));
    return output;
  }
}
