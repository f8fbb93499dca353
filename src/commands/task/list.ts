import * as Flags from '@oclif/core/flags';
import { withEnvironment } from '../../cli/flags.js';
import { followedTasks } from '../../cli/followed-lists.js';
import { ListCommand, listFlags } from '../../cli/list-command.js';
import { readSince } from '../../cli/since-flag.js';
import { taskListOutput } from '../../engine/flows/output.js';
import type { TaskListOutput } from '../../engine/flows/output-schemas.js';
import { TASK_RUNTIMES, TASK_STATUSES } from '../../engine/flows/task-record.js';
import { renderFindings, renderTaskList } from '../../ui/flows/list.js';

export default class TaskList extends ListCommand<TaskListOutput> {
  static override summary = 'List the tasks of flows, the newest first.';
  static override description =
    'Those of all sessions in the state folder. --watch stays and shows what changes; with --json each change is a line then.';
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --status queued --runtime acp',
    '<%= config.bin %> <%= command.id %> --audit --json',
    '<%= config.bin %> <%= command.id %> --watch --plain',
  ];
  static override flags = {
    ...listFlags,
    ...withEnvironment({
      status: Flags.option({
        options: TASK_STATUSES,
        multiple: true,
        summary: 'Only those in this state.',
        helpValue: 'STATUS',
      })(),
      runtime: Flags.option({
        options: TASK_RUNTIMES,
        multiple: true,
        summary: 'Only tasks for this runtime.',
        helpValue: 'RUNTIME',
      })(),
    }),
  };

  async run(): Promise<TaskListOutput> {
    const { flags } = await this.parse(TaskList);
    const { clock } = this.context();
    const filter = {
      statuses: flags.status,
      ownerKey: flags.session,
      runtimes: flags.runtime,
      sinceMs: readSince(flags.since, clock.now()),
      limit: flags.limit,
    };
    const flows = await this.openFlows(flags);
    const { operator } = flows;
    if (flags.watch) {
      await this.watch(flows, flags, followedTasks(flows, filter, clock));
      return { tasks: [], total: 0 };
    }
    const page = operator.listTasks(filter);
    const findings = flags.audit ? operator.auditTasks() : undefined;
    if (findings?.some(({ severity }) => severity === 'error')) this.setExitCode(1);
    const options = this.view(flags);
    this.write(
      findings === undefined ? renderTaskList(page, options) : renderFindings(findings, options),
    );
    return taskListOutput(page, findings);
  }
}
