import * as Flags from '@oclif/core/flags';
import { examples } from '../../cli/base-command.js';
import { switchFlag } from '../../cli/flags.js';
import { leaseArgs, leaseFlags, ReportCommand } from '../../cli/flows-command.js';
import { taskOutput } from '../../engine/flow-model/task-record.js';
import type { TaskOutput } from '../../engine/flows/index.js';

export default class TaskFail extends ReportCommand {
  static override summary = 'Report a task as failed.';
  static override description =
    'For workers. The lease token must be valid. The task is retried after a pause while it has attempts left (maxAttempts of its runtime); --no-retry makes it fail permanently. A task with a pending cancellation is cancelled.';
  static override examples = examples(
    'fb015887-239d-43be-9c9e-01a1f947c7ef --error "the page is gone"',
    'fb015887-239d-43be-9c9e-01a1f947c7ef --error "no such user" --no-retry --json',
  );
  static override args = leaseArgs;
  static override flags = {
    ...leaseFlags,
    error: Flags.string({ summary: 'Reason in one line.', helpValue: 'TEXT', required: true }),
    'no-retry': switchFlag('Do not retry the task.'),
    'timed-out': switchFlag('Report that the task timed out.'),
  };

  async run(): Promise<TaskOutput> {
    const { args, flags } = await this.parse(TaskFail);
    const { error, 'no-retry': noRetry, 'timed-out': timedOut } = flags;
    const task = await this.report(args.task, flags, (tasks, lease) =>
      tasks.fail(lease, { error, retry: !noRetry, timedOut }),
    );
    const how = task.status === 'queued' ? 'will run again' : `ended: ${task.status}`;
    this.write(`task ${args.task} ${how}`);
    return { task: taskOutput(task) };
  }
}
