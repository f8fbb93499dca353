import { BaseCommand, examples } from '../../cli/base-command.js';
import { withShownHint } from '../../cli/command-context.js';
import { listRoutes } from '../../engine/serve/webhook-routes.js';
import type { RoutesOutput } from '../../engine/webhooks/index.js';
import { renderRoutes } from '../../ui/webhook/routes.js';

export default class WebhookRoutes extends BaseCommand {
  static override summary = 'List the webhook routes, their state and their last request.';
  static override description =
    'Reads the secret of each enabled route, as the listener does when it starts, and shows its source, never its value. Counts include all listeners that have run for this state folder. Exits with 1 if a secret cannot be read.';
  static override examples = examples('', '--json');

  async run(): Promise<RoutesOutput> {
    await this.parse(WebhookRoutes);
    const context = this.context();
    const loaded = await this.loadConfig();
    const listed = await listRoutes(loaded, context, this.signal);
    const view = this.view();
    const routes = listed.routes.map((route) => {
      return { ...route, fault: route.fault && withShownHint(route.fault, view) };
    });
    const output = { ...listed, routes };
    this.write(renderRoutes(this.mask.data(output), view));
    if (output.routes.some(({ fault }) => fault !== null)) this.setExitCode(1);
    return output;
  }
}
