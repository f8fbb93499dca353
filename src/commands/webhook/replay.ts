import { BaseCommand, examples } from '../../cli/base-command.js';
import { deliveryArgs, switchFlag } from '../../cli/flags.js';
import { replayDelivery } from '../../engine/webhooks/deliveries/replay-delivery.js';
import type { ReplayOutput } from '../../engine/webhooks/index.js';
import { renderJson } from '../../ui/safe-text.js';

export default class WebhookReplay extends BaseCommand {
  static override summary = 'Process a received delivery again.';
  static override description =
    'Does with the delivery what its route would do now: maps the body, validates and performs the action, and prints the answer. No listener is needed, and the signature is not checked. A delivery with an ID or idempotency key that was performed before gets its first answer; --again performs it again, under a new ID. The replay is recorded as well. Exits with 1 if the action was not performed.';
  static override examples = examples('3x9k', '3x9k7m2pqr --again');
  static override args = deliveryArgs;
  static override flags = {
    again: switchFlag('Perform it again even if it was performed before.'),
  };

  async run(): Promise<ReplayOutput> {
    const { args, flags } = await this.parse(WebhookReplay);
    const context = this.context();
    const loaded = await this.loadConfig();
    const request = { id: args.delivery, again: flags.again };
    const { answer, id, original, isFirstAnswer, unrecorded } = await replayDelivery(request, {
      loaded,
      context,
      mask: this.mask,
    });
    if (unrecorded !== undefined) {
      this.addWarning({
        code: 'REPLAY_UNRECORDED',
        message: `the replay could not be recorded: ${unrecorded}`,
        hint: 'it was performed; run "svc config doctor" to check the record',
      });
    }
    if (!flags.quiet && id !== undefined) {
      this.note(
        `replay ${id} of ${original.id} on route ${original.route}: status ${answer.status}`,
      );
    }
    if (!flags.quiet && isFirstAnswer) {
      this.note('note: this delivery was performed before, so this is its first answer');
      this.note('hint: pass --again to perform it again');
    }
    this.write(renderJson(answer.body));
    if (answer.code !== null) this.setExitCode(1);
    return {
      replayOf: original.id,
      route: original.route,
      id: id ?? null,
      status: answer.status,
      firstAnswer: isFirstAnswer,
      answer: answer.body,
    };
  }
}
