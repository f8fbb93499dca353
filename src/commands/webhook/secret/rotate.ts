import { BaseCommand, examples } from '../../../cli/base-command.js';
import { routeArgs, switchFlag, textFlag } from '../../../cli/flags.js';
import type { RotateOutput } from '../../../engine/webhooks/index.js';
import { rotateSecret } from '../../../engine/webhooks/rotate-secret.js';
import { renderRotation } from '../../../ui/webhook/routes.js';

export default class WebhookSecretRotate extends BaseCommand {
  static override summary = 'Replace the secret of a route without an outage.';
  static override description =
    'Without a flag, shows which secrets are valid and what to do next. --add makes a new secret valid in addition to the others, and --finish leaves only the newest. Both change the configuration file; a route with "secret" gets "verify" with the scheme "bearer", which can have several.';
  static override examples = examples('ci', 'ci --add env:CI_WEBHOOK_SECRET_2', 'ci --finish');
  static override args = routeArgs;
  static override flags = {
    add: textFlag('Make this secret valid too: a reference such as env:NAME.', 'SECRET', {
      exclusive: ['finish'],
    }),
    finish: switchFlag('Leave only the newest secret valid.'),
  };

  async run(): Promise<RotateOutput> {
    const { args, flags } = await this.parse(WebhookSecretRotate);
    const context = this.context();
    const configFile = flags.config;
    const loaded = await this.readConfig();
    const { add: secret, finish } = flags;
    const step =
      secret === undefined
        ? ({ type: finish ? 'finish' : 'show' } as const)
        : ({ type: 'add', secret } as const);
    const rotation = { routeId: args.route, step, configFile, signal: this.signal };
    const { output: rotated, warnings } = await rotateSecret(rotation, loaded, context);
    this.addWarnings(warnings);
    const output = { ...rotated, next: rotated.next.map((step) => this.hintFor(step)) };
    this.write(renderRotation(output));
    return output;
  }
}
