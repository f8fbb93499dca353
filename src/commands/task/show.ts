import { examples } from '../../cli/base-command.js';
import { taskArgs } from '../../cli/flags.js';
import { FlowsCommand } from '../../cli/flows-command.js';
import { type TaskShowOutput, taskShowOutput } from '../../engine/flows/index.js';
import { renderTask } from '../../ui/flows/details.js';

export default class TaskShow extends FlowsCommand {
  static override summary = 'Show a task.';
  static override examples = examples('fb015887', 'fb015887 --json');
  static override args = taskArgs;

  async run(): Promise<TaskShowOutput> {
    const { args } = await this.parse(TaskShow);
    const flows = await this.openFlows();
    const details = await flows.operator.showTask(args.task);
    this.write(renderTask(details, this.view()));
    return taskShowOutput(details);
  }
}
