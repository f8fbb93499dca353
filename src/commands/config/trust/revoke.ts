import { BaseCommand, examples } from '../../../cli/base-command.js';
import { fileToTrust, revokeTrust } from '../../../engine/config/trust/config-trust.js';
import { safeLine } from '../../../ui/safe-text.js';

export default class ConfigTrustRevoke extends BaseCommand {
  static override summary = 'Stop trusting a configuration file.';
  static override description =
    'Applies to the svc.json found here, or the file named by --config, which may be deleted already.';
  static override examples = examples('', '--config ~/project/svc.json');

  async run() {
    const { flags } = await this.parse(ConfigTrustRevoke);
    const file = fileToTrust(this.context(), { configFile: flags.config });
    const revoked = revokeTrust(this.context(), file);
    const shown = safeLine(file);
    this.write(revoked ? `no longer trusted: ${shown}` : `${shown} was not trusted`);
    return { file, revoked };
  }
}
