import { examples } from '../../cli/base-command.js';
import { account, configWords, programWords, serviceVariables } from '../../cli/context.js';
import { DreamCommand } from '../../cli/dream/dream-command.js';
import { RUNS_SHOWN, runsFlag, switchFlag, targetFlags } from '../../cli/flags.js';
import { resolveAgent } from '../../engine/config/index.js';
import {
  crontabLine,
  type DreamScheduleOutput,
  systemdTimer,
} from '../../engine/dreaming/index.js';
import { nextRuns } from '../../engine/support/cron-times.js';
import { iso } from '../../engine/support/time.js';
import { renderSchedule } from '../../ui/dream/status.js';

export default class DreamSchedule extends DreamCommand {
  static override summary = 'Show the next sweeps, or print a crontab or systemd timer.';
  static override description =
    `If dreaming is enabled, svc serve runs sweeps on the schedule in plugins.entries.memory-core.config.dreaming. If you do not run svc serve, --print-crontab prints a line for crontab -e, and --print-systemd a service and its timer; both run svc dream run from this installation. Enable dreaming for them as well: searches are only recorded while it is on.

A sweep missed while the machine slept runs once on wake-up with svc serve and with the timer; cron skips it.`;
  static override examples = examples(
    '',
    '--count 14 --json',
    '--print-crontab',
    '--print-systemd --agent main',
  );
  static override flags = {
    agent: targetFlags.agent,
    count: runsFlag,
    'print-crontab': switchFlag('Print a line for your crontab.', {
      aliases: ['crontab'],
      exclusive: ['print-systemd'],
    }),
    'print-systemd': switchFlag('Print a systemd service and its timer.', { aliases: ['systemd'] }),
  };

  async run(): Promise<DreamScheduleOutput> {
    const { flags } = await this.parse(DreamSchedule);
    const context = this.context();
    const { settings, timeZone } = await this.dreamTarget(flags.agent);
    const { enabled, frequency } = settings;
    const nowMs = context.clock.now();
    const runs = nextRuns(frequency, timeZone, nowMs, flags.count ?? RUNS_SHOWN).map(iso);
    const command = await this.command(flags.agent);
    const output: DreamScheduleOutput = {
      enabled,
      frequency,
      timeZone: timeZone ?? null,
      runs,
      ...(flags['print-crontab']
        ? { crontab: crontabLine(frequency, timeZone, command, serviceVariables(context)) }
        : {}),
      ...(flags['print-systemd']
        ? systemdTimer({
            frequency,
            timeZone,
            command,
            user: account().name,
            homeDir: context.homeDir,
            env: serviceVariables(context),
          })
        : {}),
    };
    if (!enabled && (flags['print-crontab'] || flags['print-systemd'])) {
      const howTo = this.hintFor('run "svc dream enable"');
      this.note(`dreaming is off, so searches are not recorded: ${howTo}`);
    }
    this.write(renderSchedule(output, { ...this.view(), nowMs }));
    return output;
  }

  /** Absolute paths: cron and systemd have neither the user's PATH nor their working directory. */
  private async command(agentId: string | undefined): Promise<readonly string[]> {
    const loaded = await this.loadConfig();
    const config = configWords(this.shared.config, loaded.file);
    const agent =
      agentId === undefined ? [] : ['--agent', resolveAgent(loaded, agentId, this.context()).id];
    return [...programWords(), 'dream', 'run', '--plain', ...config, ...agent];
  }
}
