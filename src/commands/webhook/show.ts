import { BaseCommand, examples } from '../../cli/base-command.js';
import { deliveryArgs } from '../../cli/flags.js';
import { deliveryShowOutput } from '../../engine/webhooks/deliveries/delivery.js';
import { DeliveryReader } from '../../engine/webhooks/deliveries/delivery-reader.js';
import type { DeliveryShowOutput } from '../../engine/webhooks/index.js';
import { renderDelivery } from '../../ui/webhook/deliveries.js';

export default class WebhookShow extends BaseCommand<DeliveryShowOutput> {
  static override summary = 'Show a received delivery and its body.';
  static override description =
    'Shows when a delivery was received, how it was answered and why, and its body with secrets masked.';
  static override examples = examples('3x9k', '3x9k7m2pqr --json');
  static override args = deliveryArgs;

  async run(): Promise<DeliveryShowOutput> {
    const { args } = await this.parse(WebhookShow);
    const reader = new DeliveryReader(this.context().state.stateDir);
    try {
      const delivery = reader.find(args.delivery);
      this.write(renderDelivery(delivery, this.view()));
      return deliveryShowOutput(delivery);
    } finally {
      reader.close();
    }
  }
}
