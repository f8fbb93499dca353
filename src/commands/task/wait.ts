import { examples } from '../../cli/base-command.js';
import { taskArgs } from '../../cli/flags.js';
import { WaitCommand, waitFlags } from '../../cli/flows-command.js';
import { type TaskRecord, taskOutput } from '../../engine/flow-model/task-record.js';
import type { TaskOutput } from '../../engine/flows/index.js';

export default class TaskWait extends WaitCommand {
  static override summary = 'Wait until a task has ended.';
  static override description =
    'Exits with 0 if it succeeded, with 1 if it failed, timed out, was cancelled or was lost, and with 124 if it had not ended within --timeout.';
  static override examples = examples('fb015887', 'fb015887 --timeout 10m --json');
  static override args = taskArgs;
  static override flags = waitFlags;

  async run(): Promise<TaskOutput> {
    const { args, flags } = await this.parse(TaskWait);
    const { operator } = await this.openFlows();
    const task = await this.waitFor<TaskRecord>('task', flags, (options) =>
      operator.waitForTask(args.task, options),
    );
    return { task: taskOutput(task) };
  }
}
