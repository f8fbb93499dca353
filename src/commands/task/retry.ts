import { FlowsCommand } from '../../cli/flows-command.js';
import { taskArgs } from '../../cli/record-args.js';
import { taskOutput } from '../../engine/flows/output.js';
import type { TaskOutput } from '../../engine/flows/output-schemas.js';

export default class TaskRetry extends FlowsCommand<TaskOutput> {
  static override summary = 'Run a task again that ended badly.';
  static override description =
    'Puts a task that failed, timed out, was cancelled or lost back into the queue, with all of its attempts. Its flow must go on.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> fb015887',
    '<%= config.bin %> <%= command.id %> fb015887 --json',
  ];
  static override args = taskArgs;

  async run(): Promise<TaskOutput> {
    const { args, flags } = await this.parse(TaskRetry);
    const flows = await this.openFlows(flags);
    const task = await flows.tasks.retry(args.task);
    this.write(`task ${task.taskId} waits for a worker`);
    return { task: taskOutput(task) };
  }
}
