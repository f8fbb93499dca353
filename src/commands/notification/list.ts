import { examples } from '../../cli/base-command.js';
import { readSince, sinceFlag } from '../../cli/flag-times.js';
import { limitFlag, switchFlag } from '../../cli/flags.js';
import { FlowsCommand, notificationFlags } from '../../cli/flows-command.js';
import { notificationOutput } from '../../engine/flow-model/notification-record.js';
import type { NotificationListOutput } from '../../engine/flows/index.js';
import { renderNotificationList } from '../../ui/flows/notifications.js';

export default class NotificationList extends FlowsCommand {
  static override summary = 'List notifications and whether they were delivered, newest first.';
  static override description =
    'Delivered notifications are listed for a day, and those that were given up for a week. Each target of an event is one row, with its own number.';
  static override examples = examples('', '--failed --since 1d', '--pending --target ops --json');
  static override flags = {
    ...notificationFlags,
    failed: switchFlag('Show only those that were given up.', { exclusive: ['pending'] }),
    pending: switchFlag('Show only those that are not delivered yet.'),
    since: sinceFlag,
    limit: limitFlag(50),
  };

  async run(): Promise<NotificationListOutput> {
    const { flags } = await this.parse(NotificationList);
    const flows = await this.openFlows();
    const outcome = flags.failed ? 'failed' : flags.pending ? 'pending' : undefined;
    const page = await flows.operator.listNotifications({
      outcome,
      target: flags.target,
      flowId: flags.flow,
      sinceMs: await readSince(flags.since, this.times()),
      limit: flags.limit,
    });
    this.write(renderNotificationList(page, this.view()));
    return { notifications: page.entries.map(notificationOutput), total: page.total };
  }
}
