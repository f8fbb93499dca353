import * as Flags from '@oclif/core/flags';
import { DreamCommand } from '../../cli/dream/dream-command.js';
import { targetFlags, withEnvironment } from '../../cli/flags.js';
import { withCurrentDreams } from '../../engine/dreaming/current-dreams.js';
import { candidates } from '../../engine/dreaming/explain-claim.js';
import { candidateOutput, placeOutput } from '../../engine/dreaming/output.js';
import type { DreamCandidatesOutput } from '../../engine/dreaming/output-schemas.js';
import { renderCandidates } from '../../ui/dream/candidates.js';

const LIMIT = 20;

export default class DreamCandidates extends DreamCommand<DreamCandidatesOutput> {
  static override summary = 'Browse the claims that may be promoted; promote and reject them.';
  static override description =
    'The open claims that are young enough, those that pass every gate first, then by score. On a terminal it is a screen: the six signals as small bars, the passage in its note beside them; p promotes, x rejects, w says why, u undoes the last decision, q leaves. With --plain, --json or in a pipe it is a table.';
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --plain --limit 50',
    '<%= config.bin %> <%= command.id %> --agent main --json',
  ];
  static override flags = {
    agent: targetFlags.agent,
    ...withEnvironment({
      limit: Flags.integer({
        summary: `How many are shown at most (${LIMIT}).`,
        helpValue: 'N',
        min: 1,
        max: 50_000,
      }),
    }),
  };

  async run(): Promise<DreamCandidatesOutput> {
    const { flags } = await this.parse(DreamCandidates);
    const target = await this.dreamTarget(flags);
    const view = this.view(flags);
    if (this.terminal(flags).screen && flags.limit === undefined) {
      const { shownCandidates } = await import('../../cli/dream/candidates-screen.js');
      const { style } = view;
      // A line in the middle of the screen would tear it; a sweep that runs is soon done.
      const hand = { ...this.handOptions(), onWait: undefined };
      this.write(await shownCandidates(target, { style, hand, mask: this.mask }));
      return { ...placeOutput(target), total: 0, ready: 0, candidates: [] };
    }
    const found = await withCurrentDreams(target, this.signal, (dreams) =>
      dreams === undefined ? [] : candidates(dreams.entries, target.settings, view.nowMs),
    );
    const output = {
      ...placeOutput(target),
      total: found.length,
      ready: found.filter(({ passes }) => passes).length,
      candidates: found.slice(0, flags.limit ?? LIMIT).map(candidateOutput),
    };
    this.write(renderCandidates(output, view));
    return output;
  }
}
