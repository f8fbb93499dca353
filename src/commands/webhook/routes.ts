import { BaseCommand } from '../../cli/base-command.js';
import { loadConfig } from '../../engine/config/index.js';
import { listRoutes } from '../../engine/serve/webhook-routes.js';
import type { RoutesOutput } from '../../engine/webhooks/output-schemas.js';
import { renderRoutes } from '../../ui/webhook/routes.js';

export default class WebhookRoutes extends BaseCommand<RoutesOutput> {
  static override summary =
    'List the webhook routes: whether they are served, and their last request.';
  static override description =
    'Really reads the secret of each route that is switched on, as the listener does at its start, and shows where it comes from, never its value. Counts are those of all listeners that have run for this state folder. Exits with 1 when a secret cannot be read.';
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --json',
  ];

  async run(): Promise<RoutesOutput> {
    const { flags } = await this.parse(WebhookRoutes);
    const context = this.context();
    const loaded = await loadConfig(context, { configFile: flags.config });
    for (const warning of loaded.warnings) this.addWarning(warning);
    const output = await listRoutes(loaded, context, this.signal);
    this.write(renderRoutes(this.mask.data(output), this.view(flags)));
    if (output.routes.some(({ state }) => state === 'skipped')) this.setExitCode(1);
    return output;
  }
}
