import { BaseCommand, examples } from '../../cli/base-command.js';
import { switchFlag, targetFlags } from '../../cli/flags.js';
import { showConfig } from '../../engine/config/index.js';
import { renderEffective } from '../../ui/config/config-text.js';

export default class ConfigShow extends BaseCommand {
  static override summary = 'Show the effective configuration, defaults included.';
  static override description =
    'Secrets are masked unless they are references. With --origin, each value is shown with its origin: the default, or a line of the file.';
  static override examples = examples('', '--origin', '--agent main --json');
  static override flags = {
    agent: targetFlags.agent,
    origin: switchFlag('Show where each value comes from.'),
  };

  async run() {
    const { flags } = await this.parse(ConfigShow);
    const effective = await showConfig(this.context(), {
      configFile: flags.config,
      agent: flags.agent,
      origins: flags.origin,
    });
    this.addWarnings(effective.warnings);
    this.write(renderEffective(effective, this.view().style));
    return { ...effective, file: effective.file ?? null };
  }
}
