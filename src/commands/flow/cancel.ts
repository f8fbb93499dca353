import { flowArgs } from '../../cli/flags.js';
import { FlowsCommand } from '../../cli/flows-command.js';
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
    const { state, flow, tasks } = await flows.operator.cancelFlow(args.flow);
    const cancelled = state === 'cancelled';
    this.write(
      cancelled
        ? `cancelled flow ${flow.flowId}`
        : `flow ${flow.flowId} ends when its running tasks have stopped`,
    );
    return { cancelled, flow: flowOutput(flow), tasks: tasks.map(taskOutput) };
  }
}
