import { BaseCommand, examples } from '../../cli/base-command.js';
import { RUNS_SHOWN, runsFlag, scheduleArgs } from '../../cli/flags.js';
import { configuredSchedule, type ScheduleNextOutput } from '../../engine/schedules/index.js';
import { iso } from '../../engine/support/time.js';
import { renderNextRuns } from '../../ui/schedule/list.js';

export default class ScheduleNext extends BaseCommand {
  static override summary = 'Show when a schedule runs next.';
  static override description =
    'Times are shown in the time zone of the schedule. A time that daylight saving skips runs right after the gap; one that it repeats runs once.';
  static override examples = examples('nightly', 'nightly --count 14 --json');
  static override args = scheduleArgs;
  static override flags = { count: runsFlag };

  async run(): Promise<ScheduleNextOutput> {
    const { args, flags } = await this.parse(ScheduleNext);
    const { resolved } = await this.loadConfig();
    const { id, enabled, cron, timezone, nextDue } = configuredSchedule(args.schedule, resolved);
    const nowMs = this.context().clock.now();
    const runs = nextDue(nowMs, flags.count ?? RUNS_SHOWN).map(iso);
    const output = { id, enabled, cron, timezone: timezone ?? null, runs };
    this.write(renderNextRuns(output, nowMs));
    return output;
  }
}
