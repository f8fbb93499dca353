import * as Flags from '@oclif/core/flags';
import { DreamCommand } from '../../cli/dream/dream-command.js';
import { targetFlags, withEnvironment } from '../../cli/flags.js';
import { withCurrentDreams } from '../../engine/dreaming/current-dreams.js';
import { placeOutput, recalledOutput } from '../../engine/dreaming/output.js';
import type { DreamSignalsOutput } from '../../engine/dreaming/output-schemas.js';
import { recalledClaims } from '../../engine/dreaming/recalled-claims.js';
import { renderSignals } from '../../ui/dream/candidates.js';

const LIMIT = 20;

export default class DreamSignals extends DreamCommand<DreamSignalsOutput> {
  static override summary = 'List what searches recalled, the newest first.';
  static override description =
    'Each claim of short-term memory that answered a search: how often, for how many different questions, how well, and what became of it. The questions themselves are not kept.';
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --all --limit 100',
    '<%= config.bin %> <%= command.id %> --agent main --json',
  ];
  static override flags = {
    agent: targetFlags.agent,
    ...withEnvironment({
      all: Flags.boolean({ summary: 'Also claims that notes hold and nobody asked for.' }),
      limit: Flags.integer({
        summary: `How many are shown at most (${LIMIT}).`,
        helpValue: 'N',
        min: 1,
        max: 50_000,
      }),
    }),
  };

  async run(): Promise<DreamSignalsOutput> {
    const { flags } = await this.parse(DreamSignals);
    const target = await this.dreamTarget(flags);
    const claims = await withCurrentDreams(target, this.signal, (dreams) =>
      dreams === undefined ? [] : recalledClaims(dreams.entries, flags.all),
    );
    const output = {
      ...placeOutput(target),
      total: claims.length,
      claims: claims.slice(0, flags.limit ?? LIMIT).map(recalledOutput),
    };
    this.write(renderSignals(output, this.view(flags)));
    return output;
  }
}
