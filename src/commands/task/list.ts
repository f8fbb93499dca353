import { examples } from '../../cli/base-command.js';
import {
  ListCommand,
  listFlags,
  MOST_LISTED,
  recordFilter,
  taskFilterFlags,
} from '../../cli/flows-command.js';
import { type TaskListOutput, taskListOutput } from '../../engine/flows/index.js';
import { renderFindings, renderTaskList } from '../../ui/flows/list.js';
import { renderPauses } from '../../ui/flows/rows.js';

export default class TaskList extends ListCommand {
  static override summary = 'List the tasks of flows, newest first.';
  static override description =
    'Lists the tasks of all sessions in the state folder. --watch is svc task watch.';
  static override examples = examples(
    '',
    '--status queued --runtime acp',
    '--audit --json',
    '--watch --plain',
  );
  static override flags = { ...taskFilterFlags(MOST_LISTED), ...listFlags };

  async run(): Promise<TaskListOutput> {
    const { flags } = await this.parse(TaskList);
    const filter = { ...(await recordFilter(flags, this.times())), runtimes: flags.runtime };
    if (flags.watch) {
      await this.watch({ kind: 'tasks', filter });
      return { tasks: [], total: 0, paused: [] };
    }
    const { operator, tasks } = await this.openFlows();
    const page = await operator.listTasks(filter);
    const findings = flags.audit ? await operator.auditTasks() : undefined;
    if (findings?.some(({ severity }) => severity === 'error')) this.setExitCode(1);
    const paused = await tasks.paused();
    const view = this.view();
    this.write(
      renderPauses(paused, view) +
        (findings === undefined ? renderTaskList(page, view) : renderFindings(findings, view)),
    );
    return taskListOutput(page, paused, findings);
  }
}
