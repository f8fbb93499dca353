import { BaseCommand, examples } from '../../cli/base-command.js';
import { switchFlag } from '../../cli/flags.js';
import { showDoctor } from '../../cli/show-doctor.js';
import { type DoctorOutput, doctorOutput } from '../../engine/doctor/index.js';

export default class ConfigDoctor extends BaseCommand {
  static override summary = 'Diagnose problems and apply safe fixes.';
  static override description =
    `Checks the configuration, workspaces, permissions, indexes, providers (with a test query), secrets, webhook routes, the schedule, disk space, the clock and more.

On a terminal, select a finding to see what its fix changes, and press a key to apply it. --fix applies every safe fix without asking; a fix is safe when nothing is lost. svc.json keeps its comments.

Exits with 1 while faults remain. Warnings do not change the exit code.`;
  static override examples = examples('', '--plain', '--fix', '--json --config ./svc.json');
  static override flags = {
    fix: switchFlag('Apply every safe fix without asking, then check again.'),
  };

  async run(): Promise<DoctorOutput> {
    const { flags } = await this.parse(ConfigDoctor);
    if (flags.fix) this.interruptHint = 'applied fixes are kept; run it again to apply the rest';
    const result = await showDoctor(flags.fix, await this.commandContext());
    if (!result.report.ok) this.setExitCode(1);
    return doctorOutput(result);
  }
}
