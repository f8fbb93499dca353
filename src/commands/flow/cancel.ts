import { FlowsCommand } from '../../cli/flows-command.js';
import { flowArgs } from '../../cli/record-args.js';
import { flowOutput, taskOutput } from '../../engine/flows/output.js';
import type { FlowCancelOutput } from '../../engine/flows/output-schemas.js';

export default class FlowCancel extends FlowsCommand<FlowCancelOutput> {
  static override summary = 'Cancel a task flow and its tasks.';
  static override description =
    'Tasks that wait are cancelled at once. Workers hear of it when they report next; the flow ends when the last of them has let go. From here on it can only end.';
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
        : `flow ${flow.flowId} ends when its running tasks have been stopped`,
    );
    return { cancelled, flow: flowOutput(flow), tasks: tasks.map(taskOutput) };
  }
}
