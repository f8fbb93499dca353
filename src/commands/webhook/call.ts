import { BaseCommand, examples } from '../../cli/base-command.js';
import { baseUrlFlag, requiredArg, routeArgs, textFlag } from '../../cli/flags.js';
import { readerOf } from '../../cli/standard-streams.js';
import { listenerUrl } from '../../engine/serve/webhook-routes.js';
import { callRoute, MOST_BODY_BYTES, readCallData } from '../../engine/webhooks/call-route.js';
import type { CallOutput } from '../../engine/webhooks/index.js';
import { renderJson } from '../../ui/safe-text.js';

export default class WebhookCall extends BaseCommand {
  static override summary = 'Send an action to a webhook route, using its secret.';
  static override description =
    'Sends the action over HTTP, as any other system would, to the listener that is running for this state folder, or else to gateway.host and gateway.port. Prints the response, and on stderr the same call as a curl command with a variable in place of the secret. Exits with 1 if the action was not performed.';
  static override examples = examples(
    `ci create_flow --data '{"goal":"Build 1.2.3"}'`,
    'ci list_flows',
    'ci create_flow --data @body.json --idempotency-key build-1.2.3',
  );
  static override args = {
    ...routeArgs,
    action: requiredArg('Name of the action.'),
  };
  static override flags = {
    data: textFlag('Other fields of the body, as a JSON object, @FILE or - for stdin.', 'JSON', {
      char: 'd',
    }),
    'idempotency-key': textFlag('Perform create_flow or run_task only once for this key.', 'KEY'),
    url: baseUrlFlag('Base URL of the listener, such as https://hooks.example.com.'),
  };

  async run(): Promise<CallOutput> {
    const { args, flags } = await this.parse(WebhookCall);
    const context = this.context();
    const loaded = await this.readConfig();
    const read = await readerOf([flags.data], MOST_BODY_BYTES, this.signal, context);
    // Editors on Windows begin files with a byte order mark, which this drops.
    const data = readCallData(flags.data, (file) => new TextDecoder().decode(read(file)));
    const call = {
      routeId: args.route,
      action: args.action,
      data,
      idempotencyKey: flags['idempotency-key'],
      baseUrl: flags.url ?? listenerUrl(loaded, context),
      signal: this.signal,
    };
    const output = await this.whileWaiting('calling', () => callRoute(call, loaded, context));
    if (!flags.quiet) this.note(output.curl);
    this.write(renderJson(output.answer));
    if (output.answer['ok'] !== true) this.setExitCode(1);
    return output;
  }
}
