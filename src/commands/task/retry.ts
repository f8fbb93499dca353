import { examples } from '../../cli/base-command.js';
import { BulkCommand, bulkFlags, optionalTaskArgs } from '../../cli/bulk-command.js';
import { switchFlag } from '../../cli/flags.js';
import { runtimesFlag } from '../../cli/flows-command.js';
import { FAILED_TASK_STATUSES, taskOutput } from '../../engine/flow-model/task-record.js';
import type { BulkOutput, TaskOutput } from '../../engine/flows/index.js';
import { TASK_WORDS } from '../../ui/flows/list.js';

export default class TaskRetry extends BulkCommand {
  static override summary = 'Queue a task again that did not succeed, or all that match.';
  static override description =
    `Queues a task again that failed, timed out, was cancelled or was lost, with all of its attempts. Its flow must not have ended.

Without an ID, queues all such tasks that match the flags, after confirmation. If one of them cannot be queued, the others are, and the exit code is 1.`;
  static override examples = examples(
    'fb015887',
    'fb015887 --json',
    '--failed --since 1d --dry-run',
    '--failed --runtime acp --yes',
  );
  static override args = optionalTaskArgs;
  static override flags = {
    ...bulkFlags,
    failed: switchFlag('Select tasks that failed, timed out or were lost, not cancelled ones.'),
    runtime: runtimesFlag('Select tasks for this runtime.'),
  };

  async run(): Promise<BulkOutput | TaskOutput> {
    const { args, flags } = await this.parse(TaskRetry);
    const { runtime: runtimes, failed } = flags;
    const statuses = failed ? FAILED_TASK_STATUSES : undefined;
    const selection = await this.selection(args.task, flags, { statuses, runtimes });
    const { operator, tasks } = await this.openFlows();
    if (selection !== undefined) {
      const filter = {
        ...selection,
        statuses: statuses ?? [...FAILED_TASK_STATUSES, 'cancelled' as const],
        ofContinuing: true as const,
      };
      return this.changeAll(flags, {
        words: { ...TASK_WORDS, question: 'Retry', pastTense: 'queued' },
        found: await operator.listTasks(filter),
        change: ({ taskId }) => tasks.retry(taskId),
      });
    }
    const task = await tasks.retry(args.task ?? '');
    this.write(`task ${task.taskId} is queued`);
    return { task: taskOutput(task) };
  }
}
