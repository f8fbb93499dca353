import { examples } from '../../cli/base-command.js';
import { readSince, sinceFlag } from '../../cli/flag-times.js';
import { optionalArg, switchFlag } from '../../cli/flags.js';
import { FlowsCommand, notificationFlags } from '../../cli/flows-command.js';
import { SvcError } from '../../engine/errors/index.js';
import { notificationOutput } from '../../engine/flow-model/notification-record.js';
import type { NotificationRetryOutput } from '../../engine/flows/index.js';
import { renderRetries } from '../../ui/flows/notifications.js';

export default class NotificationRetry extends FlowsCommand {
  static override summary = 'Deliver notifications again that could not be delivered.';
  static override description =
    'Starts the attempts again: the next one is made at once by svc serve. Names one notification, or with --failed all that were given up. Receivers see the same webhook-id as before.';
  static override examples = examples(
    '1',
    '--failed --since 1d --dry-run',
    '--failed --target ops --json',
  );
  static override args = { notification: optionalArg('Its number, or its whole ID.') };
  static override flags = {
    ...notificationFlags,
    failed: switchFlag('Retry all that were given up.'),
    'dry-run': switchFlag('Only show what would be retried.'),
    since: sinceFlag,
  };

  async run(): Promise<NotificationRetryOutput> {
    const { args, flags } = await this.parse(NotificationRetry);
    if ((args.notification === undefined) !== (flags.failed === true)) {
      throw new SvcError('USAGE', 'name one notification, or pass --failed', {
        hint: '"svc notification list --failed" shows their numbers',
      });
    }
    if (args.notification !== undefined && (flags.since ?? flags.flow) !== undefined) {
      throw new SvcError('USAGE', '--since and --flow choose among those that failed', {
        hint: 'pass them with --failed, without a number',
      });
    }
    const { operator } = await this.openFlows();
    const dryRun = flags['dry-run'] === true;
    const { retried, unknownTargets } =
      args.notification === undefined
        ? await operator.retryFailed(
            {
              target: flags.target,
              flowId: flags.flow,
              sinceMs: await readSince(flags.since, this.times()),
            },
            { dryRun },
          )
        : {
            retried: [
              notificationOutput(
                await operator.retryNotification(args.notification, {
                  target: flags.target,
                  dryRun,
                }),
              ),
            ],
            unknownTargets: 0,
          };
    this.write(renderRetries({ retried, unknownTargets, dryRun }, this.view()));
    return { dryRun, retried, unknownTargets };
  }
}
