import { examples } from '../../cli/base-command.js';
import { scheduleArgs } from '../../cli/flags.js';
import { FlowsCommand } from '../../cli/flows-command.js';
import { flowOutput } from '../../engine/flow-model/flow-record.js';
import { runSchedule, type ScheduleRunOutput } from '../../engine/schedules/index.js';

export default class ScheduleRun extends FlowsCommand {
  static override summary = 'Run a schedule now.';
  static override description =
    'Creates the flow of the schedule, also if the schedule is disabled or its last flow has not ended. Its next run stays as it is.';
  static override examples = examples('nightly', 'nightly --json');
  static override args = scheduleArgs;

  async run(): Promise<ScheduleRunOutput> {
    const { args } = await this.parse(ScheduleRun);
    const { flows, config } = await this.openConfigured();
    const flow = await runSchedule(args.schedule, config, flows);
    this.write(`schedule ${args.schedule} created flow ${flow.flowId}`);
    return { id: args.schedule, flow: flowOutput(flow) };
  }
}
