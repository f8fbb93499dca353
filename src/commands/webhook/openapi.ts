import { BaseCommand, examples } from '../../cli/base-command.js';
import { baseUrlFlag } from '../../cli/flags.js';
import { describedRoutes, openApiDocument } from '../../engine/webhooks/openapi-document.js';
import { renderJson } from '../../ui/safe-text.js';

export default class WebhookOpenapi extends BaseCommand {
  static override summary = 'Print the OpenAPI 3.1 document of the webhook routes.';
  static override description =
    'Generated from the schemas that validate requests, for the enabled routes of the configuration, or for a default route if there are none. The listener serves it at /openapi.json if plugins.entries.webhooks.config.openapi is true.';
  static override examples = examples('> openapi.json', '--url https://hooks.example.com');
  static override flags = {
    url: baseUrlFlag('Public base URL of the routes, for "servers".'),
  };

  /** A standard document, without fields of svc. */
  protected override readonly addsWarnings = false;

  async run(): Promise<object> {
    const { flags } = await this.parse(WebhookOpenapi);
    const { resolved } = await this.readConfig();
    const routes = describedRoutes(resolved);
    const document = openApiDocument({ serverUrl: flags.url, routes });
    this.write(renderJson(document));
    return document;
  }
}
