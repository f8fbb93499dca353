import * as Flags from '@oclif/core/flags';
import { examples } from '../../cli/command-parts.js';
import { FlowsCommand, leaseArgs, leaseError, leaseFlags } from '../../cli/flows-command.js';
import { taskOutput } from '../../engine/flow-model/task-record.js';
import type { TaskHeartbeatOutput } from '../../engine/flows/index.js';

export default class TaskHeartbeat extends FlowsCommand<TaskHeartbeatOutput> {
  static override summary = 'Report that a task is still in progress.';
  static override description =
    'For workers. Extends the lease by flows.leaseSeconds. If cancelRequested is true in the result, stop and run "svc task fail".';
  static override examples = examples(
    'fb015887-239d-43be-9c9e-01a1f947c7ef --json',
    'fb015887-239d-43be-9c9e-01a1f947c7ef --progress "3 of 7 pages"',
  );
  static override args = leaseArgs;
  static override flags = {
    ...leaseFlags,
    progress: Flags.string({ summary: 'Progress in one line.', helpValue: 'TEXT' }),
    'lease-seconds': Flags.integer({
      summary: 'Extend the lease by this many seconds (flows.leaseSeconds).',
      helpValue: 'N',
      min: 1,
      max: 86_400,
    }),
  };

  async run(): Promise<TaskHeartbeatOutput> {
    const { args, flags } = await this.parse(TaskHeartbeat);
    const flows = await this.openFlows();
    const seconds = flags['lease-seconds'];
    const lease = { taskId: args.task, token: flags['lease-token'] };
    const answer = await flows.tasks.heartbeat(lease, {
      progress: flags.progress,
      leaseMs: seconds === undefined ? undefined : seconds * 1000,
    });
    if (!answer.ok) throw leaseError(answer, lease);
    this.write(answer.cancelRequested ? 'stop: cancellation requested' : 'continue');
    return { task: taskOutput(answer.task), cancelRequested: answer.cancelRequested };
  }
}
