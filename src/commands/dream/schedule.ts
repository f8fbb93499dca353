import { realpathSync } from 'node:fs';
import { userInfo } from 'node:os';
import * as Flags from '@oclif/core/flags';
import { DreamCommand } from '../../cli/dream/dream-command.js';
import { targetFlags, withEnvironment } from '../../cli/flags.js';
import { statePlaces } from '../../cli/state-places.js';
import { resolveAgent } from '../../engine/config/index.js';
import { iso } from '../../engine/dreaming/output.js';
import type { DreamScheduleOutput } from '../../engine/dreaming/output-schemas.js';
import { crontabLine } from '../../engine/dreaming/schedule/crontab.js';
import { nextRuns } from '../../engine/dreaming/schedule/next-runs.js';
import { systemdTimer } from '../../engine/dreaming/schedule/systemd-timer.js';
import { renderSchedule } from '../../ui/dream/status.js';

const COUNT = 5;

export default class DreamSchedule extends DreamCommand<DreamScheduleOutput> {
  static override summary =
    'Show when the next sweeps are due, or print the schedule for cron or systemd.';
  static override description =
    `svc serve keeps the schedule of plugins.entries.memory-core.config.dreaming where dreaming is switched on. Without such a process, --print-crontab prints a line for crontab -e, and --print-systemd a service with its timer; both run svc dream run of this installation.

A run that was missed while the machine slept runs once at wake, by svc serve and by the timer; cron leaves it out.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --count 14 --json',
    '<%= config.bin %> <%= command.id %> --print-crontab',
    '<%= config.bin %> <%= command.id %> --print-systemd --agent main',
  ];
  static override flags = {
    agent: targetFlags.agent,
    ...withEnvironment({
      count: Flags.integer({
        summary: `How many runs are shown (${COUNT}).`,
        helpValue: 'N',
        min: 1,
        max: 1000,
      }),
      'print-crontab': Flags.boolean({
        summary: 'Print a line for your crontab.',
        aliases: ['crontab'],
        exclusive: ['print-systemd'],
      }),
      'print-systemd': Flags.boolean({
        summary: 'Print a systemd service and its timer.',
        aliases: ['systemd'],
      }),
    }),
  };

  async run(): Promise<DreamScheduleOutput> {
    const { flags } = await this.parse(DreamSchedule);
    const context = this.context();
    const { settings, timeZone } = await this.dreamTarget(flags);
    const { enabled, frequency } = settings;
    const nowMs = context.clock.now();
    const runs = nextRuns(frequency, timeZone, nowMs, flags.count ?? COUNT).map(iso);
    const command = await this.command(flags);
    const output: DreamScheduleOutput = {
      enabled,
      frequency,
      timeZone: timeZone ?? null,
      runs,
      ...(flags['print-crontab']
        ? { crontab: crontabLine(frequency, timeZone, this.withPlaces(command)) }
        : {}),
      ...(flags['print-systemd']
        ? systemdTimer({
            frequency,
            timeZone,
            command,
            user: userInfo().username,
            homeDir: context.homeDir,
            env: statePlaces(this.context().env),
          })
        : {}),
    };
    this.write(renderSchedule(output, nowMs));
    return output;
  }

  /** A sweep by this installation: cron and systemd know neither the person's PATH nor their folder. */
  private async command(flags: {
    readonly agent?: string | undefined;
    readonly config?: string | undefined;
  }): Promise<readonly string[]> {
    const loaded = await this.loadConfig(flags);
    const { file } = loaded;
    const script = realpathSync(process.argv[1] ?? '');
    const config = flags.config === undefined || file === undefined ? [] : ['--config', file];
    const agent =
      flags.agent === undefined
        ? []
        : ['--agent', resolveAgent(loaded, flags.agent, this.context()).id];
    return [process.execPath, script, 'dream', 'run', '--plain', ...config, ...agent];
  }

  /** In a crontab a variable stands before the command. */
  private withPlaces(command: readonly string[]): readonly string[] {
    const set = Object.entries(statePlaces(this.context().env)).map(
      ([name, value]) => `${name}=${value}`,
    );
    return set.length === 0 ? command : ['/usr/bin/env', ...set, ...command];
  }
}
