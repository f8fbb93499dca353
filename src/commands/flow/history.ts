import { examples } from '../../cli/base-command.js';
import { flowArgs } from '../../cli/flags.js';
import { FlowsCommand } from '../../cli/flows-command.js';
import { type FlowHistoryOutput, flowHistoryOutput } from '../../engine/flows/index.js';
import { renderHistory } from '../../ui/flows/details.js';

export default class FlowHistory extends FlowsCommand {
  static override summary = 'Show every change of a task flow and its tasks.';
  static override description =
    'Shows when each change was made and by what: a webhook route, a worker, an operator or svc itself. Of more than 1,000 changes, the first 50 and the newest are kept.';
  static override examples = examples('413d463b', '413d463b --json');
  static override args = flowArgs;

  async run(): Promise<FlowHistoryOutput> {
    const { args } = await this.parse(FlowHistory);
    const flows = await this.openFlows();
    const history = await flows.operator.history(args.flow);
    this.write(renderHistory(history, this.view()));
    return flowHistoryOutput(history);
  }
}
