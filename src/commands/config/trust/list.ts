import { BaseCommand, examples } from '../../../cli/base-command.js';
import { listTrust } from '../../../engine/config/trust/config-trust.js';
import { iso } from '../../../engine/support/time.js';
import { renderTrustList } from '../../../ui/config/config-text.js';

export default class ConfigTrustList extends BaseCommand {
  static override summary = 'List the configuration files that you trust.';
  static override examples = examples('', '--json');

  async run() {
    await this.parse(ConfigTrustList);
    const configs = listTrust(this.context()).map(({ file, trustedAtMs, changed }) => {
      return { file, trustedAt: iso(trustedAtMs), changed };
    });
    this.write(renderTrustList(configs));
    return { configs };
  }
}
