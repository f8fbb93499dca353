import { examples } from '../../cli/base-command.js';
import { FlowsCommand, notificationArgs, targetFlag } from '../../cli/flows-command.js';
import { fromJsonText } from '../../engine/flow-model/fields.js';
import { notificationOutput } from '../../engine/flow-model/notification-record.js';
import type { NotificationShowOutput } from '../../engine/flows/index.js';
import { renderNotification } from '../../ui/flows/notifications.js';

export default class NotificationShow extends FlowsCommand {
  static override summary = 'Show a notification, its delivery and its content.';
  static override examples = examples('1', '1 --json');
  static override args = notificationArgs;
  static override flags = targetFlag;

  async run(): Promise<NotificationShowOutput> {
    const { args, flags } = await this.parse(NotificationShow);
    const flows = await this.openFlows();
    const notification = await flows.operator.showNotification(args.notification, flags.target);
    this.write(renderNotification(notification, this.view()));
    return {
      notification: notificationOutput(notification),
      payload: fromJsonText(notification.payload),
    };
  }
}
