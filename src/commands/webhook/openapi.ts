import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../cli/base-command.js';
import { withEnvironment } from '../../cli/flags.js';
import { loadConfig } from '../../engine/config/index.js';
import { describedRoutes } from '../../engine/webhooks/openapi/described-routes.js';
import { openApiDocument } from '../../engine/webhooks/openapi/openapi-document.js';
import { renderJson } from '../../ui/config/effective.js';

export default class WebhookOpenapi extends BaseCommand<object> {
  static override summary = 'Print the OpenAPI 3.1 document of the webhook routes.';
  static override description =
    'Made of the schemas that requests are held against, for the routes of the configuration that are switched on; without any, for a route as it is by default. The listener serves it at /openapi.json when plugins.entries.webhooks.config.openapi is true.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> > openapi.json',
    '<%= config.bin %> <%= command.id %> --url https://hooks.example.com',
  ];
  static override flags = withEnvironment({
    url: Flags.string({
      summary: 'Where the routes are reached from outside, for "servers".',
      helpValue: 'URL',
    }),
  });

  async run(): Promise<object> {
    const { flags } = await this.parse(WebhookOpenapi);
    const { resolved } = await loadConfig(this.context(), { configFile: flags.config });
    const routes = describedRoutes(resolved);
    const document = openApiDocument({ serverUrl: flags.url, routes });
    this.write(renderJson(document));
    return document;
  }

  /** The document is what it is and nothing beside it. */
  protected override toSuccessJson(result: unknown): unknown {
    return result;
  }
}
