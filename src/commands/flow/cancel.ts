import { flowArgs } from '../../cli/flags.js';
import { cancelledFlowWords, FlowsCommand } from '../../cli/flows-command.js';
import type { FlowCancelOutput } from '../../engine/flows/index.js';
import { flowOutput, taskOutput } from '../../engine/flows/index.js';

export default class FlowCancel extends FlowsCommand<FlowCancelOutput> {
  static override summary = 'Cancel a task flow and its tasks.';
  static override description =
    'Queued tasks are cancelled at once. Workers learn of it with their next report, and the flow ends when the last of them has stopped. Cancelling cannot be undone.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> 413d463b',
    '<%= config.bin %> <%= command.id %> 413d463b --json',
  ];
  static override args = flowArgs;

  async run(): Promise<FlowCancelOutput> {
    const { args, flags } = await this.parse(FlowCancel);
    const flows = await this.openFlows(flags);
    const result = await flows.operator.cancelFlow(args.flow);
    const { state, flow, tasks } = result;
    this.write(cancelledFlowWords(result));
    return {
      cancelled: state === 'cancelled',
      flow: flowOutput(flow),
      tasks: tasks.map(taskOutput),
    };
  }
}
