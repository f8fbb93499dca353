import { examples } from '../../cli/base-command.js';
import { textFlag } from '../../cli/flags.js';
import { FlowsCommand, runtimesFlag } from '../../cli/flows-command.js';
import { pauseOutput, TASK_RUNTIMES } from '../../engine/flow-model/task-record.js';
import type { TaskPauseOutput } from '../../engine/flows/index.js';
import { renderPauses } from '../../ui/flows/rows.js';

export default class TaskPause extends FlowsCommand {
  static override summary = 'Stop workers from claiming tasks.';
  static override description =
    'Queued tasks wait, and running ones go on. The pause applies to all workers that share these flows, on all hosts, and lasts until "svc task resume". Without --runtime, tasks of all runtimes are paused.';
  static override examples = examples('--reason "upgrading the agents"', '--runtime acp --json');
  static override flags = {
    runtime: runtimesFlag('Pause only tasks for this runtime.'),
    reason: textFlag('Why, for other people.', 'TEXT'),
  };

  async run(): Promise<TaskPauseOutput> {
    const { flags } = await this.parse(TaskPause);
    const flows = await this.openFlows();
    const reason = flags.reason?.trim() || null;
    const paused = await flows.tasks.pause(flags.runtime ?? TASK_RUNTIMES, reason);
    this.write(renderPauses(paused, this.view()));
    return { paused: paused.map(pauseOutput) };
  }
}
