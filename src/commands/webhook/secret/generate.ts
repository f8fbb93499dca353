import { BaseCommand, examples } from '../../../cli/base-command.js';
import { randomToken } from '../../../engine/support/crypto.js';
import type { SecretOutput } from '../../../engine/webhooks/index.js';

export default class WebhookSecretGenerate extends BaseCommand {
  static override summary = 'Generate a secret for a webhook route.';
  static override description =
    'Prints 256 random bits as letters, digits, _ and -. Nothing is stored: save it where the route reads its secret, and give it to the sender. Use a different secret for each route.';
  static override examples = examples('', '> ci.secret');

  /** The result is a secret, so it must not be masked. */
  protected override readonly answersVerbatim = true;

  async run(): Promise<SecretOutput> {
    await this.parse(WebhookSecretGenerate);
    const secret = randomToken();
    this.write(secret);
    return { secret };
  }
}
