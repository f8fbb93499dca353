import { examples } from '../../cli/base-command.js';
import { flowArgs } from '../../cli/flags.js';
import { FlowsCommand } from '../../cli/flows-command.js';
import { type FlowShowOutput, flowShowOutput } from '../../engine/flows/index.js';
import { renderFlow } from '../../ui/flows/details.js';

export default class FlowShow extends FlowsCommand {
  static override summary = 'Show a task flow and its tasks.';
  static override examples = examples('413d463b', '413d463b-ee62-4b21-addf-01a1f9472c9a --json');
  static override args = flowArgs;

  async run(): Promise<FlowShowOutput> {
    const { args } = await this.parse(FlowShow);
    const flows = await this.openFlows();
    const details = await flows.operator.showFlow(args.flow);
    this.write(renderFlow(details, this.view()));
    return flowShowOutput(details.flow, details.tasks);
  }
}
