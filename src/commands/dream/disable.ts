import { examples } from '../../cli/base-command.js';
import { DreamSwitchCommand } from '../../cli/dream/dream-command.js';
import type { DreamSwitchOutput } from '../../engine/dreaming/index.js';

export default class DreamDisable extends DreamSwitchCommand {
  static override summary = 'Disable scheduled dreaming; svc dream run still works.';
  static override description =
    'Sets one configuration key and keeps comments and formatting. Existing entries stay. A running svc serve applies the change when it reloads its configuration (SIGHUP).';
  static override examples = examples('', '--config ./svc.json --json');

  async run(): Promise<DreamSwitchOutput> {
    await this.parse(DreamDisable);
    return this.setEnabled(false);
  }
}
