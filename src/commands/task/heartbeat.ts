import { examples } from '../../cli/base-command.js';
import { textFlag } from '../../cli/flags.js';
import { leaseArgs, leaseFlags, leaseSecondsFlag, ReportCommand } from '../../cli/flows-command.js';
import { taskOutput } from '../../engine/flow-model/task-record.js';
import type { TaskHeartbeatOutput } from '../../engine/flows/index.js';

export default class TaskHeartbeat extends ReportCommand {
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
    progress: textFlag('Progress in one line.', 'TEXT'),
    'lease-seconds': leaseSecondsFlag(
      'Extend the lease by this many seconds (flows.leaseSeconds).',
    ),
  };

  async run(): Promise<TaskHeartbeatOutput> {
    const { args, flags } = await this.parse(TaskHeartbeat);
    const { progress, 'lease-seconds': seconds } = flags;
    const leaseMs = seconds === undefined ? undefined : seconds * 1000;
    const task = await this.report(args.task, flags, (tasks, lease) =>
      tasks.heartbeat(lease, { progress, leaseMs }),
    );
    const cancelRequested = task.cancelRequestedAt !== null;
    this.write(cancelRequested ? 'stop: cancellation requested' : 'continue');
    return { task: taskOutput(task), cancelRequested };
  }
}
