import * as Flags from '@oclif/core/flags';
import { withEnvironment } from '../../cli/flags.js';
import { FlowsCommand, leaseError } from '../../cli/flows-command.js';
import { leaseArgs, leaseFlags } from '../../cli/lease-flags.js';
import { taskOutput } from '../../engine/flows/output.js';
import type { TaskHeartbeatOutput } from '../../engine/flows/output-schemas.js';

export default class TaskHeartbeat extends FlowsCommand<TaskHeartbeatOutput> {
  static override summary = 'Say that a task is still being worked on.';
  static override description =
    'For workers. Makes the lease last for another flows.leaseSeconds. When cancelRequested is true in the answer, somebody wants the task stopped: stop, and say "svc task fail".';
  static override examples = [
    '<%= config.bin %> <%= command.id %> fb015887-239d-43be-9c9e-01a1f947c7ef --json',
    '<%= config.bin %> <%= command.id %> fb015887-239d-43be-9c9e-01a1f947c7ef --progress "3 of 7 pages"',
  ];
  static override args = leaseArgs;
  static override flags = {
    ...leaseFlags,
    ...withEnvironment({
      progress: Flags.string({ summary: 'What is being done, in a line.', helpValue: 'TEXT' }),
      'lease-seconds': Flags.integer({
        summary: 'How long the worker may be silent from now on.',
        helpValue: 'N',
        min: 1,
        max: 86_400,
      }),
    }),
  };

  async run(): Promise<TaskHeartbeatOutput> {
    const { args, flags } = await this.parse(TaskHeartbeat);
    const flows = await this.openFlows(flags);
    const seconds = flags['lease-seconds'];
    const answer = await flows.tasks.heartbeat(
      { taskId: args.task, token: flags['lease-token'] },
      {
        progress: flags.progress,
        leaseMs: seconds === undefined ? undefined : seconds * 1000,
      },
    );
    if (!answer.ok) throw leaseError(answer, args.task);
    this.write(answer.cancelRequested ? 'stop: the task is to be cancelled' : 'go on');
    return { task: taskOutput(answer.task), cancelRequested: answer.cancelRequested };
  }
}
