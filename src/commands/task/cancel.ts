import { taskArgs } from '../../cli/flags.js';
import { cancelledTaskWords, FlowsCommand } from '../../cli/flows-command.js';
import type { TaskOutput } from '../../engine/flows/index.js';
import { taskOutput } from '../../engine/flows/index.js';

export default class TaskCancel extends FlowsCommand<TaskOutput> {
  static override summary = 'Cancel a task.';
  static override description =
    'A queued task ends at once. The worker of a running task learns of it with its next report; if it never reports, the task ends when its lease expires.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> fb015887',
    '<%= config.bin %> <%= command.id %> fb015887 --json',
  ];
  static override args = taskArgs;

  async run(): Promise<TaskOutput> {
    const { args, flags } = await this.parse(TaskCancel);
    const flows = await this.openFlows(flags);
    const task = await flows.tasks.cancel(args.task);
    this.write(cancelledTaskWords(task));
    return { task: taskOutput(task) };
  }
}
