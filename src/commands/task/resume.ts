import { examples } from '../../cli/base-command.js';
import { FlowsCommand, runtimesFlag } from '../../cli/flows-command.js';
import { pauseOutput, TASK_RUNTIMES } from '../../engine/flow-model/task-record.js';
import type { TaskPauseOutput } from '../../engine/flows/index.js';
import { renderResumed } from '../../ui/flows/rows.js';

export default class TaskResume extends FlowsCommand {
  static override summary = 'Let workers claim tasks again after a pause.';
  static override description =
    'Waiting workers continue at once. Without --runtime, tasks of all runtimes are resumed.';
  static override examples = examples('', '--runtime acp --json');
  static override flags = {
    runtime: runtimesFlag('Resume only tasks for this runtime.'),
  };

  async run(): Promise<TaskPauseOutput> {
    const { flags } = await this.parse(TaskResume);
    const flows = await this.openFlows();
    const before = await flows.tasks.paused();
    const paused = await flows.tasks.resume(flags.runtime ?? TASK_RUNTIMES);
    this.write(renderResumed(before, paused, this.view()));
    return { paused: paused.map(pauseOutput) };
  }
}
