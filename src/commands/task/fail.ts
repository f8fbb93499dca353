import * as Flags from '@oclif/core/flags';
import { examples } from '../../cli/command-parts.js';
import { FlowsCommand, leaseArgs, leaseError, leaseFlags } from '../../cli/flows-command.js';
import { taskOutput } from '../../engine/flow-model/task-record.js';
import type { TaskOutput } from '../../engine/flows/index.js';

export default class TaskFail extends FlowsCommand<TaskOutput> {
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
    'no-retry': Flags.boolean({ summary: 'Do not retry the task.' }),
    'timed-out': Flags.boolean({ summary: 'Report that the task timed out.' }),
  };

  async run(): Promise<TaskOutput> {
    const { args, flags } = await this.parse(TaskFail);
    const flows = await this.openFlows();
    const lease = { taskId: args.task, token: flags['lease-token'] };
    const answer = await flows.tasks.fail(lease, {
      error: flags.error,
      retry: !flags['no-retry'],
      timedOut: flags['timed-out'],
    });
    if (!answer.ok) throw leaseError(answer, lease);
    const { status } = answer.task;
    this.write(
      status === 'queued'
        ? `task ${args.task} will run again`
        : `task ${args.task} ended: ${status}`,
    );
    return { task: taskOutput(answer.task) };
  }
}
