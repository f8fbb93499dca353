import { examples } from '../../cli/base-command.js';
import { BulkCommand, bulkFlags, optionalFlowArgs } from '../../cli/bulk-command.js';
import { choicesFlag } from '../../cli/flags.js';
import { routeFlag } from '../../cli/flows-command.js';
import { ACTIVE_FLOW_STATUSES, flowOutput } from '../../engine/flow-model/flow-record.js';
import { taskOutput } from '../../engine/flow-model/task-record.js';
import type { BulkOutput, FlowCancelOutput } from '../../engine/flows/index.js';
import { FLOW_WORDS } from '../../ui/flows/list.js';
import { cancelledFlowWords } from '../../ui/flows/rows.js';

export default class FlowCancel extends BulkCommand {
  static override summary = 'Cancel a task flow and its tasks, or all that match.';
  static override description =
    `Queued tasks are cancelled at once. Workers learn of it with their next report, and the flow ends when the last of them has stopped. Cancelling cannot be undone.

Without an ID, cancels all active flows that match the flags, after confirmation. If one of them cannot be cancelled, the others are, and the exit code is 1.`;
  static override examples = examples(
    '413d463b',
    '413d463b --json',
    '--status blocked --older-than 1h --dry-run',
    '--route ci --yes',
  );
  static override args = optionalFlowArgs;
  static override flags = {
    ...bulkFlags,
    status: choicesFlag(ACTIVE_FLOW_STATUSES, 'Select flows in this state.', 'STATUS'),
    route: routeFlag,
  };

  async run(): Promise<BulkOutput | FlowCancelOutput> {
    const { args, flags } = await this.parse(FlowCancel);
    const { status: statuses, route } = flags;
    const selection = await this.selection(args.flow, flags, { statuses, route });
    const { operator } = await this.openFlows();
    if (selection !== undefined) {
      const filter = { ...selection, statuses: statuses ?? ACTIVE_FLOW_STATUSES };
      const { entries, total } = await operator.listFlows(filter);
      return this.changeAll(flags, {
        words: { ...FLOW_WORDS, question: 'Cancel', pastTense: 'cancelled' },
        found: { entries: entries.map(({ flow }) => flow), total },
        change: async ({ flowId }) => (await operator.cancelFlow(flowId)).flow,
      });
    }
    const result = await operator.cancelFlow(args.flow ?? '');
    const { state, flow, tasks } = result;
    this.write(cancelledFlowWords(result));
    return {
      cancelled: state === 'cancelled',
      flow: flowOutput(flow),
      tasks: tasks.map(taskOutput),
    };
  }
}
