import * as Flags from '@oclif/core/flags';
import { readSince, withEnvironment } from '../../cli/flags.js';
import { followedTasks, ListCommand, listFlags, runtimesFlag } from '../../cli/flows-command.js';
import type { TaskListOutput } from '../../engine/flows/index.js';
import { TASK_STATUSES, taskListOutput } from '../../engine/flows/index.js';
import { renderFindings, renderTaskList } from '../../ui/flows/list.js';
import { renderPauses } from '../../ui/flows/pauses.js';

export default class TaskList extends ListCommand<TaskListOutput> {
  static override summary = 'List the tasks of flows, newest first.';
  static override description =
    'Lists the tasks of all sessions in the state folder. --watch keeps running and shows changes; with --json, each change is one line.';
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
        summary: 'Show only tasks in this state.',
        helpValue: 'STATUS',
      })(),
      runtime: runtimesFlag('Show only tasks for this runtime.'),
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
      return { tasks: [], total: 0, paused: [] };
    }
    const page = await operator.listTasks(filter);
    const findings = flags.audit ? await operator.auditTasks() : undefined;
    if (findings?.some(({ severity }) => severity === 'error')) this.setExitCode(1);
    const paused = await flows.tasks.paused();
    const options = this.view(flags);
    this.write(
      renderPauses(paused, options) +
        (findings === undefined
          ? renderTaskList(page, options)
          : renderFindings(findings, options)),
    );
    return taskListOutput(page, paused, findings);
  }
}
