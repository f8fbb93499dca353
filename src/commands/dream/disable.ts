import { DreamSwitchCommand } from '../../cli/dream/switch-command.js';
import type { DreamSwitchOutput } from '../../engine/dreaming/output-schemas.js';

export default class DreamDisable extends DreamSwitchCommand {
  static override summary =
    'Switch dreaming off; what was written stays, and svc dream run still works.';
  static override description =
    'Sets one key of the configuration; comments and formatting stay. A svc serve that runs takes it on when it reads its configuration anew (SIGHUP).';
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --config ./svc.json --json',
  ];

  async run(): Promise<DreamSwitchOutput> {
    const { flags } = await this.parse(DreamDisable);
    return this.turn(false, flags);
  }
}
