import { examples } from '../../cli/base-command.js';
import { DreamSwitchCommand } from '../../cli/dream/dream-command.js';
import type { DreamSwitchOutput } from '../../engine/dreaming/index.js';

export default class DreamEnable extends DreamSwitchCommand {
  static override summary = 'Enable dreaming: svc serve consolidates memory on schedule.';
  static override description =
    'Sets one configuration key and keeps comments and formatting. A running svc serve applies the change when it reloads its configuration (SIGHUP).';
  static override examples = examples('', '--config ./svc.json --json');

  async run(): Promise<DreamSwitchOutput> {
    await this.parse(DreamEnable);
    return this.setEnabled(true);
  }
}
