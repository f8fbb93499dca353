import * as Flags from '@oclif/core/flags';
import { BaseCommand, examples } from '../../cli/base-command.js';
import { routeArgs, textFlag } from '../../cli/flags.js';
import { readerOf } from '../../cli/standard-streams.js';
import { MOST_BODY_BYTES } from '../../engine/webhooks/call-route.js';
import type { MapOutput } from '../../engine/webhooks/index.js';
import { readRecordedRequest, tryMapping } from '../../engine/webhooks/map/try-mapping.js';
import { renderMapping } from '../../ui/webhook/routes.js';

export default class WebhookMap extends BaseCommand {
  static override summary = 'Show what a route would do with a recorded request.';
  static override description =
    'Works offline: shows whether the request would be verified or why not, which rule matches, and the action with its fields. Nothing is sent or changed. --headers takes a JSON object, or lines like "Name: value" as senders show them. Exits with 1 if the request would be rejected.';
  static override examples = examples(
    'github --data @push.json --headers @headers.json',
    `alerts --data '{"status":"firing"}'`,
  );
  static override args = routeArgs;
  static override flags = {
    data: Flags.string({
      char: 'd',
      required: true,
      summary: 'Body exactly as it was sent: text, @FILE or - for stdin.',
      helpValue: 'BODY',
    }),
    headers: textFlag('Headers of the request: JSON, lines, or @FILE.', 'HEADERS'),
    at: textFlag('When it was sent, for signed times; default: now.', 'TIME'),
  };

  async run(): Promise<MapOutput> {
    const { args, flags } = await this.parse(WebhookMap);
    const context = this.context();
    const loaded = await this.readConfig();
    const read = await readerOf([flags.data, flags.headers], MOST_BODY_BYTES, this.signal, context);
    const recorded = readRecordedRequest(flags, read, context.clock);
    const request = { routeId: args.route, ...recorded, signal: this.signal };
    const output = await tryMapping(request, loaded, context);
    this.write(renderMapping(this.mask.data(output), this.view()));
    if (output.verified === false || output.error !== null) this.setExitCode(1);
    return output;
  }
}
