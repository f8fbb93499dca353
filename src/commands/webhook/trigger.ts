import { BaseCommand, examples } from '../../cli/base-command.js';
import { baseUrlFlag, requiredArg, textFlag } from '../../cli/flags.js';
import { listenerUrl } from '../../engine/serve/webhook-routes.js';
import type { TriggerOutput } from '../../engine/webhooks/index.js';
import { PRESETS, triggerPreset } from '../../engine/webhooks/trigger-preset.js';
import { renderJson } from '../../ui/safe-text.js';

export default class WebhookTrigger extends BaseCommand {
  static override summary = 'Send an example of what a sender sends to its route.';
  static override description =
    `Signs the example of a preset with the secret of the route, and sends it as a new delivery to the listener that is running for this state folder, or else to gateway.host and gateway.port. Prints the response. Exits with 1 if the route rejected it. Presets: ${PRESETS.map(({ name }) => name).join(', ')}.`;
  static override examples = examples('github.push', 'alertmanager.alert --route alerts');
  static override args = { preset: requiredArg('Name of the preset.') };
  static override flags = {
    route: textFlag('Route to send it to, if several fit.', 'ROUTE'),
    url: baseUrlFlag('Base URL of the listener, such as https://hooks.example.com.'),
  };

  async run(): Promise<TriggerOutput> {
    const { args, flags } = await this.parse(WebhookTrigger);
    const context = this.context();
    const loaded = await this.readConfig();
    const baseUrl = flags.url ?? listenerUrl(loaded, context);
    const request = { preset: args.preset, routeId: flags.route, baseUrl, signal: this.signal };
    const output = await this.whileWaiting('sending', () =>
      triggerPreset(request, loaded, context),
    );
    this.write(renderJson(output.answer));
    if (output.status >= 300) this.setExitCode(1);
    return output;
  }
}
