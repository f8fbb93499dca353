import { examples } from '../../cli/base-command.js';
import {
  ListCommand,
  MOST_WATCHED,
  recordFilter,
  taskFilterFlags,
} from '../../cli/flows-command.js';
import type { TaskListOutput } from '../../engine/flows/index.js';

export default class TaskWatch extends ListCommand {
  static override summary = 'Watch tasks, and cancel or retry them.';
  static override description =
    'Keeps running and shows changes. On a terminal, Enter opens a task, c cancels and r retries it, / filters the list and ? lists all keys. Elsewhere, each change is a line; with --json, a line of JSON.';
  static override examples = examples('', '--runtime subagent --plain', '--json');
  static override flags = taskFilterFlags(MOST_WATCHED);

  async run(): Promise<TaskListOutput> {
    const { flags } = await this.parse(TaskWatch);
    const filter = { ...(await recordFilter(flags, this.times())), runtimes: flags.runtime };
    await this.watch({ kind: 'tasks', filter }, 'svc task watch');
    return { tasks: [], total: 0, paused: [] };
  }
}
