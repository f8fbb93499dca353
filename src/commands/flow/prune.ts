import * as Flags from '@oclif/core/flags';
import { withEnvironment, yesFlag } from '../../cli/flags.js';
import { FlowsCommand } from '../../cli/flows-command.js';
import { confirm } from '../../cli/prompts.js';
import type { FlowPruneOutput } from '../../engine/flows/index.js';
import { formatCountOf } from '../../engine/support/format.js';
import { MS_PER_DAY } from '../../engine/support/time.js';

export default class FlowPrune extends FlowsCommand<FlowPruneOutput> {
  static override summary = 'Delete task flows that ended long ago, and their tasks.';
  static override description =
    'svc serve does this automatically for flows that ended more than flows.retentionDays ago. Flows that have not ended, including blocked ones, are never deleted. Asks for confirmation.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> --yes',
    '<%= config.bin %> <%= command.id %> --older-than 1 --yes --json',
  ];
  static override flags = {
    ...yesFlag,
    ...withEnvironment({
      'older-than': Flags.integer({
        summary: 'Delete flows that ended this long ago (flows.retentionDays).',
        helpValue: 'DAYS',
        min: 0,
      }),
    }),
  };

  async run(): Promise<FlowPruneOutput> {
    const { flags } = await this.parse(FlowPrune);
    const flows = await this.openFlows(flags);
    const days = flags['older-than'];
    const age =
      days === undefined
        ? 'more than flows.retentionDays ago'
        : `more than ${formatCountOf(days, 'day')} ago`;
    const question = `Delete the flows that ended ${age}, and their tasks?`;
    const agreed = flags.yes || (await confirm(question, this.terminal(flags).screen, this.signal));
    if (!agreed) {
      this.write('nothing was deleted');
      return { pruned: false, flows: 0, tasks: 0 };
    }
    const gone = await flows.operator.prune(days === undefined ? undefined : days * MS_PER_DAY);
    this.write(
      `deleted ${formatCountOf(gone.flows, 'flow')} and ${formatCountOf(gone.tasks, 'task')}`,
    );
    return { pruned: true, ...gone };
  }
}
