import { BaseCommand, examples } from '../../../cli/base-command.js';
import { yesFlag } from '../../../cli/flags.js';
import { recordTrust, reviewFile } from '../../../engine/config/trust/config-trust.js';
import { renderTrustReview } from '../../../ui/config/config-text.js';
import { safeLine } from '../../../ui/safe-text.js';

export default class ConfigTrust extends BaseCommand {
  static override summary = 'Show what the svc.json found here can do, and trust it.';
  static override description =
    'A svc.json found in the current folder or above it may come from somebody else. Until you trust it, keys that can run a program, read a secret, send data to a host or reach outside its folder are ignored. After a change of these keys, it must be trusted again.';
  static override examples = examples('', '--yes', '--config ./svc.json --yes --json');
  static override flags = yesFlag;

  async run() {
    const { flags } = await this.parse(ConfigTrust);
    const review = reviewFile(this.context(), { configFile: flags.config });
    const { file, state, risky } = review;
    this.write(renderTrustReview(review));
    if (state !== 'untrusted') return { file, trusted: true, changed: false, risky };
    const agreed = await this.agrees(`Trust ${file}?`, flags);
    if (agreed) recordTrust(this.context(), review);
    this.write(safeLine(agreed ? `trusted ${file}` : `not trusted: ${file}`));
    return { file, trusted: agreed, changed: agreed, risky };
  }
}
