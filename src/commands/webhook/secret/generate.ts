import { BaseCommand } from '../../../cli/base-command.js';
import { newSecret } from '../../../engine/webhooks/new-secret.js';
import type { SecretOutput } from '../../../engine/webhooks/output-schemas.js';

export default class WebhookSecretGenerate extends BaseCommand<SecretOutput> {
  static override summary = 'Make a strong secret for a route.';
  static override description =
    'Prints 256 random bits in letters, digits, _ and -. Nothing is stored: put it where the route reads its secret from, and where the sender keeps it. Each route gets its own.';
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> > ci.secret',
  ];

  /** The answer is a secret: hiding it would leave nothing. */
  protected override readonly answersVerbatim = true;

  async run(): Promise<SecretOutput> {
    await this.parse(WebhookSecretGenerate);
    const secret = newSecret();
    this.write(secret);
    return { secret };
  }
}
