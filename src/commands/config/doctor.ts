import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../cli/base-command.js';
import { withEnvironment } from '../../cli/flags.js';
import { shownDoctor } from '../../cli/shown-doctor.js';
import { type DoctorOutput, doctorOutput } from '../../engine/doctor/output.js';

export default class ConfigDoctor extends BaseCommand<DoctorOutput> {
  static override summary = 'Look at the whole set-up: what is wrong, where, and how to mend it.';
  static override description =
    `Checks the configuration, workspaces, permissions, indexes, providers (a word is really embedded), secrets, webhook routes, the schedule, disk, clock and more, side by side.

On a terminal it stays until you leave; choose a finding, see what its mend changes, and apply it with a key. --fix does every safe mend without asking: those by which nothing is lost. svc.json keeps its comments.

Exits with 1 while faults remain. Warnings do not change the exit code.`;
  static override examples = [
    '<%= config.bin %> config doctor',
    '<%= config.bin %> config doctor --plain',
    '<%= config.bin %> config doctor --fix',
    '<%= config.bin %> config doctor --json --config ./svc.json',
  ];
  static override flags = withEnvironment({
    fix: Flags.boolean({ summary: 'Do every safe mend without asking, and look again.' }),
  });

  async run(): Promise<DoctorOutput> {
    const { flags } = await this.parse(ConfigDoctor);
    const { report, applied } = await shownDoctor({
      context: this.context(),
      configFile: flags.config,
      fix: flags.fix,
      terminal: this.terminal(flags),
      screen: !flags.quiet,
      signal: this.signal,
      write: (text) => this.write(text),
    });
    if (!report.ok) this.setExitCode(1);
    return doctorOutput(report, applied);
  }
}
