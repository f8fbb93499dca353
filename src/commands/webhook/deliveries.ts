import { BaseCommand, examples } from '../../cli/base-command.js';
import { readSince, sinceFlag } from '../../cli/flag-times.js';
import { limitFlag, optionalArg, switchFlag } from '../../cli/flags.js';
import { print, stdoutLost } from '../../cli/print.js';
import { anySignal, closing, sleepAtMost } from '../../engine/support/async.js';
import { DeliveryReader } from '../../engine/webhooks/deliveries/delivery-reader.js';
import { deliveryOutput } from '../../engine/webhooks/deliveries/delivery-record.js';
import type { DeliveriesOutput, Delivery, DeliveryFilter } from '../../engine/webhooks/index.js';
import { configuredRoute } from '../../engine/webhooks/signed-request.js';
import { deliveryLine, renderDeliveries } from '../../ui/webhook/deliveries.js';

const FOLLOW_EVERY_MS = 200;
const MOST_DELIVERIES = 10_000;

export default class WebhookDeliveries extends BaseCommand {
  static override summary = 'List received deliveries, newest first.';
  static override description =
    'Lists the requests that routes of this machine received, whether or not they were performed, as far as plugins.entries.webhooks.config.deliveries keeps them. --follow shows the newest in the order of their arrival and prints new ones until Ctrl-C; with --json, each delivery is one line.';
  static override examples = examples('', 'ci --failed --since 1h', '--follow');
  static override args = { route: optionalArg('ID of a route; default: all routes.') };
  static override flags = {
    failed: switchFlag('Show only those that were rejected or failed.'),
    since: sinceFlag,
    limit: limitFlag(50, MOST_DELIVERIES),
    follow: switchFlag('Keep printing new deliveries.', { char: 'f' }),
  };

  async run(): Promise<DeliveriesOutput> {
    const { args, flags } = await this.parse(WebhookDeliveries);
    if (flags.follow) this.switchToLines('--follow');
    const context = this.context();
    using reader = closing(new DeliveryReader(context.state.stateDir));
    const filter = {
      route: args.route,
      failed: flags.failed,
      sinceMs: await readSince(flags.since, this.times()),
      limit: flags.limit,
    };
    const deliveries = flags.follow ? reader.listNew(filter) : reader.list(filter);
    // A route that is no longer configured may still have deliveries.
    if (args.route !== undefined && deliveries.length === 0) {
      configuredRoute(args.route, await this.readConfig());
    }
    if (flags.follow) {
      await this.follow(reader, filter, deliveries);
      return { deliveries: [], total: 0 };
    }
    const total = reader.count(filter);
    this.write(renderDeliveries(deliveries, total, this.view()));
    return { deliveries: deliveries.map(deliveryOutput), total };
  }

  private async follow(
    reader: DeliveryReader,
    filter: DeliveryFilter,
    first: readonly Delivery[],
  ): Promise<void> {
    const { style } = this.view();
    let news = first;
    // Stop when the reader of the pipe is gone.
    const signal = anySignal([this.signal, stdoutLost]);
    while (!signal.aborted) {
      for (const delivery of news.toReversed()) {
        const line = this.jsonEnabled()
          ? JSON.stringify(this.mask.data(deliveryOutput(delivery)))
          : this.mask.text(deliveryLine(delivery, style));
        print(`${line}\n`);
      }
      await sleepAtMost(FOLLOW_EVERY_MS, signal);
      news = reader.listNew({ ...filter, limit: MOST_DELIVERIES });
    }
    if (!stdoutLost.aborted) this.setExitCode(130);
  }
}
