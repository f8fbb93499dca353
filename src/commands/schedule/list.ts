import { examples } from '../../cli/base-command.js';
import { FlowsCommand } from '../../cli/flows-command.js';
import { listSchedules, type ScheduleListOutput } from '../../engine/schedules/index.js';
import { renderSchedules } from '../../ui/schedule/list.js';

export default class ScheduleList extends FlowsCommand {
  static override summary = 'List the schedules, their next and their last run.';
  static override description =
    'Schedules are configured in "schedules" of svc.json and run by svc serve. "overdue" means that a run was due and has not happened: check that svc serve is running.';
  static override examples = examples('', '--json');

  async run(): Promise<ScheduleListOutput> {
    await this.parse(ScheduleList);
    const { flows, config } = await this.openConfigured();
    const schedules = await listSchedules(config, flows);
    this.write(renderSchedules(schedules, this.view()));
    return { schedules };
  }
}
