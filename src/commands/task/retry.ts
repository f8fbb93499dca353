import { taskArgs } from '../../cli/flags.js';
import { FlowsCommand } from '../../cli/flows-command.js';
import type { TaskOutput } from '../../engine/flows/index.js';
import { taskOutput } from '../../engine/flows/index.js';

export default class TaskRetry extends FlowsCommand<TaskOutput> {
  static override summary = 'Queue a task again that did not succeed.';
  static override description =
    'Queues a task again that failed, timed out, was cancelled or was lost, with all of its attempts. Its flow must not have ended.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> fb015887',
    '<%= config.bin %> <%= command.id %> fb015887 --json',
  ];
  static override args = taskArgs;

  async run(): Promise<TaskOutput> {
    const { args, flags } = await this.parse(TaskRetry);
    const flows = await this.openFlows(flags);
    const task = await flows.tasks.retry(args.task);
    this.write(`task ${task.taskId} is queued`);
    return { task: taskOutput(task) };
  }
}
