import { BaseCommand, examples } from '../../cli/base-command.js';
import { deliveryArgs } from '../../cli/flags.js';
import { findDelivery } from '../../engine/webhooks/deliveries/delivery-reader.js';
import { deliveryOutput } from '../../engine/webhooks/deliveries/delivery-record.js';
import type { DeliveryShowOutput } from '../../engine/webhooks/index.js';
import { renderDelivery } from '../../ui/webhook/deliveries.js';

export default class WebhookShow extends BaseCommand {
  static override summary = 'Show a received delivery and its body.';
  static override description =
    'Shows when a delivery was received, how it was answered and why, and its body with secrets masked.';
  static override examples = examples('3x9k', '3x9k7m2pqr --json');
  static override args = deliveryArgs;

  async run(): Promise<DeliveryShowOutput> {
    const { args } = await this.parse(WebhookShow);
    const delivery = findDelivery(args.delivery, this.context().state.stateDir);
    this.write(renderDelivery(delivery, this.view()));
    const { headers, body } = delivery;
    return { delivery: deliveryOutput(delivery), headers, body: body === '' ? null : body };
  }
}
