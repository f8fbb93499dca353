import { examples } from '../../cli/base-command.js';
import { BulkCommand, bulkFlags, optionalTaskArgs } from '../../cli/bulk-command.js';
import { choicesFlag } from '../../cli/flags.js';
import { runtimesFlag } from '../../cli/flows-command.js';
import { ACTIVE_TASK_STATUSES, taskOutput } from '../../engine/flow-model/task-record.js';
import type { BulkOutput, TaskOutput } from '../../engine/flows/index.js';
import { TASK_WORDS } from '../../ui/flows/list.js';
import { cancelledTaskWords } from '../../ui/flows/rows.js';

export default class TaskCancel extends BulkCommand {
  static override summary = 'Cancel a task, or all that match.';
  static override description =
    `A queued task ends at once. The worker of a running task learns of it with its next report; if it never reports, the task ends when its lease expires.

Without an ID, cancels all active tasks that match the flags, after confirmation. If one of them cannot be cancelled, the others are, and the exit code is 1.`;
  static override examples = examples(
    'fb015887',
    'fb015887 --json',
    '--status queued --older-than 1d --dry-run',
  );
  static override args = optionalTaskArgs;
  static override flags = {
    ...bulkFlags,
    status: choicesFlag(ACTIVE_TASK_STATUSES, 'Select tasks in this state.', 'STATUS'),
    runtime: runtimesFlag('Select tasks for this runtime.'),
  };

  async run(): Promise<BulkOutput | TaskOutput> {
    const { args, flags } = await this.parse(TaskCancel);
    const { status: statuses, runtime: runtimes } = flags;
    const selection = await this.selection(args.task, flags, { statuses, runtimes });
    const { operator, tasks } = await this.openFlows();
    if (selection !== undefined) {
      const filter = { ...selection, statuses: statuses ?? ACTIVE_TASK_STATUSES };
      return this.changeAll(flags, {
        words: { ...TASK_WORDS, question: 'Cancel', pastTense: 'cancelled' },
        found: await operator.listTasks(filter),
        change: ({ taskId }) => tasks.cancel(taskId),
      });
    }
    const task = await tasks.cancel(args.task ?? '');
    this.write(cancelledTaskWords(task));
    return { task: taskOutput(task) };
  }
}
