import { examples } from '../../cli/base-command.js';
import { olderThanFlag, readAge } from '../../cli/flag-times.js';
import { yesFlag } from '../../cli/flags.js';
import { FlowsCommand } from '../../cli/flows-command.js';
import type { FlowPruneOutput } from '../../engine/flows/index.js';
import { formatCountOf, formatDuration } from '../../engine/support/format.js';
import { MS_PER_DAY } from '../../engine/support/time.js';

export default class FlowPrune extends FlowsCommand {
  static override summary = 'Delete task flows that ended long ago, and their tasks.';
  static override description =
    'svc serve does this automatically for flows that ended more than flows.retentionDays ago. Flows that have not ended, including blocked ones, are never deleted. Asks for confirmation.';
  static override examples = examples('--yes', '--older-than 1d --yes --json');
  static override flags = {
    ...yesFlag,
    'older-than': olderThanFlag(
      'Delete flows that ended this long ago, in days or like 36h (flows.retentionDays).',
    ),
  };

  async run(): Promise<FlowPruneOutput> {
    const { flags } = await this.parse(FlowPrune);
    const flows = await this.openFlows();
    const keepMs = readAge(flags['older-than']);
    const age =
      keepMs === undefined
        ? 'more than flows.retentionDays ago'
        : `more than ${ageText(keepMs)} ago`;
    const question = `Delete the flows that ended ${age}, and their tasks?`;
    const agreed = await this.agrees(question, flags);
    if (!agreed) {
      this.write('nothing was deleted');
      return { pruned: false, flows: 0, tasks: 0 };
    }
    const pruned = await this.whileWaiting('deleting', () => flows.operator.prune(keepMs));
    this.write(
      `deleted ${formatCountOf(pruned.flows, 'flow')} and ${formatCountOf(pruned.tasks, 'task')}`,
    );
    return { pruned: true, ...pruned };
  }
}

function ageText(ms: number): string {
  const days = ms / MS_PER_DAY;
  return Number.isInteger(days) ? formatCountOf(days, 'day') : formatDuration(ms);
}
