import { examples } from '../../cli/base-command.js';
import { DreamCommand } from '../../cli/dream/dream-command.js';
import { numberFlag, targetFlags } from '../../cli/flags.js';
import {
  candidateOutput,
  type DreamCandidatesOutput,
  nextCandidates,
  workspaceOutput,
} from '../../engine/dreaming/index.js';
import { renderCandidates } from '../../ui/dream/candidates.js';

const LIMIT = 20;

export default class DreamCandidates extends DreamCommand {
  static override summary = 'Browse candidate claims; promote or reject them.';
  static override description =
    'Lists open claims within the age limit: those that the next sweep would promote first, then those that pass every gate, then by score. On a terminal this is a screen that shows the six signals as small bars next to the passage in its note: p promotes, x rejects, w explains, u undoes the last decision, q quits. With --plain, with --json or in a pipe it prints a table.';
  static override examples = examples('', '--plain --limit 50', '--agent main --json');
  static override flags = {
    agent: targetFlags.agent,
    limit: numberFlag(`Maximum number of claims to show (default ${LIMIT}).`, {
      char: 'n',
      min: 1,
      max: 50_000,
    }),
  };

  async run(): Promise<DreamCandidatesOutput> {
    const { flags } = await this.parse(DreamCandidates);
    const target = await this.dreamTarget(flags.agent);
    const view = this.view();
    if (this.terminal().screen && flags.limit === undefined) {
      const { showCandidates } = await import('../../cli/dream/candidates-screen.js');
      // A note on stderr would corrupt the screen, and a running sweep is soon done.
      const options = { ...this.manualChangeOptions(), onWait: undefined };
      this.write(await showCandidates(target, options, await this.commandContext()));
      return { ...workspaceOutput(target), total: 0, ready: 0, candidates: [] };
    }
    const moment = { nowMs: view.nowMs, signal: this.signal };
    const claims = await this.whileWaiting('reading notes', () => nextCandidates(target, moment));
    const output = {
      ...workspaceOutput(target),
      total: claims.length,
      ready: claims.filter(({ promotes }) => promotes).length,
      candidates: claims.slice(0, flags.limit ?? LIMIT).map(candidateOutput),
    };
    this.write(renderCandidates(output, view));
    return output;
  }
}
