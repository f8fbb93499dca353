import * as Flags from '@oclif/core/flags';
import { withEnvironment } from '../../cli/flags.js';
import { FlowsCommand, leaseError } from '../../cli/flows-command.js';
import { leaseArgs, leaseFlags } from '../../cli/lease-flags.js';
import { taskOutput } from '../../engine/flows/output.js';
import type { TaskOutput } from '../../engine/flows/output-schemas.js';

export default class TaskFail extends FlowsCommand<TaskOutput> {
  static override summary = 'Say that a task could not be done.';
  static override description =
    'For workers; the task must be held with the lease token. It runs again after a rest while it has attempts left (maxAttempts of its runtime); with --no-retry it has failed for good. One that is to be cancelled is cancelled now.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> fb015887-239d-43be-9c9e-01a1f947c7ef --error "the page is gone"',
    '<%= config.bin %> <%= command.id %> fb015887-239d-43be-9c9e-01a1f947c7ef --error "no such user" --no-retry --json',
  ];
  static override args = leaseArgs;
  static override flags = {
    ...leaseFlags,
    ...withEnvironment({
      error: Flags.string({ summary: 'Why, in a line.', helpValue: 'TEXT', required: true }),
      'no-retry': Flags.boolean({ summary: 'No further attempt can go better.' }),
      'timed-out': Flags.boolean({ summary: 'It took longer than it may.' }),
    }),
  };

  async run(): Promise<TaskOutput> {
    const { args, flags } = await this.parse(TaskFail);
    const flows = await this.openFlows(flags);
    const answer = await flows.tasks.fail(
      { taskId: args.task, token: flags['lease-token'] },
      { error: flags.error, retry: !flags['no-retry'], timedOut: flags['timed-out'] },
    );
    if (!answer.ok) throw leaseError(answer, args.task);
    const { status } = answer.task;
    this.write(
      status === 'queued' ? `task ${args.task} will run again` : `task ${args.task} is ${status}`,
    );
    return { task: taskOutput(answer.task) };
  }
}
