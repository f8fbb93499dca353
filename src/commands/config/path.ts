import { BaseCommand, examples } from '../../cli/base-command.js';
import { discoverConfig } from '../../engine/config/index.js';
import { renderDiscovery } from '../../ui/config/config-text.js';

export default class ConfigPath extends BaseCommand {
  static override summary = 'Show which configuration file is used, and why.';
  static override examples = examples('', '--json');

  async run() {
    const { flags } = await this.parse(ConfigPath);
    const discovery = discoverConfig(this.context(), flags.config);
    this.write(renderDiscovery(discovery, this.view().style));
    const { file, origin, searched } = discovery;
    return { file: file ?? null, origin: origin ?? null, searched };
  }
}
