import { FlowsCommand } from '../../cli/flows-command.js';
import { taskArgs } from '../../cli/record-args.js';
import { taskOutput } from '../../engine/flows/output.js';
import type { TaskOutput } from '../../engine/flows/output-schemas.js';

export default class TaskCancel extends FlowsCommand<TaskOutput> {
  static override summary = 'Cancel a task.';
  static override description =
    'One that waits ends at once. The worker of one that runs hears of it when it reports next; if it never does, the task ends with its lease.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> fb015887',
    '<%= config.bin %> <%= command.id %> fb015887 --json',
  ];
  static override args = taskArgs;

  async run(): Promise<TaskOutput> {
    const { args, flags } = await this.parse(TaskCancel);
    const flows = await this.openFlows(flags);
    const task = await flows.tasks.cancel(args.task);
    this.write(
      task.status === 'cancelled'
        ? `cancelled task ${task.taskId}`
        : `task ${task.taskId} ends when its worker has stopped`,
    );
    return { task: taskOutput(task) };
  }
}
