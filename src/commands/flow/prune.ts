import * as Flags from '@oclif/core/flags';
import { confirm } from '../../cli/confirm.js';
import { withEnvironment, yesFlag } from '../../cli/flags.js';
import { FlowsCommand } from '../../cli/flows-command.js';
import type { FlowPruneOutput } from '../../engine/flows/output-schemas.js';
import { formatCountOf } from '../../ui/format.js';

const DAY_MS = 24 * 3_600_000;

export default class FlowPrune extends FlowsCommand<FlowPruneOutput> {
  static override summary = 'Delete task flows that ended long ago, with their tasks.';
  static override description =
    'svc serve does so by itself, for what ended more than flows.retentionDays ago. What goes on, blocked flows among them, is never deleted. Asks first.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> --yes',
    '<%= config.bin %> <%= command.id %> --older-than 1 --yes --json',
  ];
  static override flags = {
    ...yesFlag,
    ...withEnvironment({
      'older-than': Flags.integer({
        summary: 'Days since they ended; flows.retentionDays when left out.',
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
      days === undefined ? 'longer ago than flows.retentionDays' : `over ${days} days ago`;
    const question = `Delete the flows that ended ${age}, with their tasks?`;
    const agreed = flags.yes || (await confirm(question, this.terminal(flags).screen, this.signal));
    if (!agreed) {
      this.write('nothing was deleted');
      return { pruned: false, flows: 0, tasks: 0 };
    }
    const gone = await flows.operator.prune(days === undefined ? undefined : days * DAY_MS);
    this.write(
      `deleted ${formatCountOf(gone.flows, 'flow')} and ${formatCountOf(gone.tasks, 'task')}`,
    );
    return { pruned: true, ...gone };
  }
}
