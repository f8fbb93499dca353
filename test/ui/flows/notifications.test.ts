import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { notificationOutput } from '../../../src/engine/flow-model/notification-record.js';
import {
  renderNotification,
  renderNotificationList,
  renderRetries,
} from '../../../src/ui/flows/notifications.js';
import { PIPED_VIEW } from '../../support/piped-view.js';
import { aNotification, NOW } from './builders.js';

const test = suite('notifications as text');

const PIPED = { ...PIPED_VIEW, nowMs: NOW };
const EVIL = '\u001B]0;x\u0007\nmore';

test('a list has a line for each notification, and says when there are more', () => {
  const failed = aNotification();
  const waiting = { outcome: 'pending', attempts: 0, lastError: null } as const;
  const pending = aNotification({ ...waiting, seq: 12, flowId: failed.flowId });
  const text = renderNotificationList({ entries: [pending, failed], total: 5 }, PIPED);
  const lines = text.split('\n').map((line) => line.replaceAll(/ +/g, ' ').trim());
  const flow = failed.flowId.slice(0, 8);
  assert.equal(lines, [
    'number outcome tries target event flow created error',
    `12 pending 0 ops flow.ended ${flow} 3 min ago`,
    `7 failed 10 ops flow.ended ${flow} 3 min ago the endpoint answered 503`,
    '2 of 5 notifications; use --limit to show more',
    '',
  ]);
  assert.is(renderNotificationList({ entries: [], total: 0 }, PIPED), 'no notifications\n');
});

test('details omit absent fields', () => {
  const failed = renderNotification(aNotification(), PIPED);
  assert.match(failed, /^notification 7\n/);
  assert.match(failed, /error\s+the endpoint answered 503\n/);
  assert.match(failed, /settled\s+1 min ago, 2027-01-15T07:59:00\.000Z\n/);
  assert.match(failed, /content\s+\{"text":"Flow succeeded\."\}\n/);
  for (const missing of ['task ', 'retries', 'next attempt']) assert.not.match(failed, missing);
  const again = aNotification({
    outcome: 'pending',
    retries: 1,
    settledAt: null,
    nextAttemptAt: NOW,
  });
  const pending = renderNotification(again, PIPED);
  assert.match(pending, /retries\s+1\n/);
  assert.match(pending, /next attempt\s+2027-01-15T08:00:00\.000Z\n/);
  assert.not.match(pending, 'settled');
});

test('foreign text cannot control the terminal', () => {
  const evil = aNotification({ target: EVIL, lastError: EVIL, payload: EVIL, ownerKey: EVIL });
  const { notificationId: _, ...shown } = notificationOutput(evil);
  const retried = [{ ...shown, notificationId: EVIL }];
  const texts = [
    renderNotificationList({ entries: [evil], total: 1 }, PIPED),
    renderNotification(evil, PIPED),
    renderRetries({ retried, unknownTargets: 0, dryRun: false }, PIPED),
  ];
  for (const text of texts) {
    assert.not.match(text, '\u001B');
    assert.not.match(text, /^more/m);
  }
});

test('a retry lists what is delivered again, and counts what is left', () => {
  const retried = [notificationOutput(aNotification())];
  assert.is(
    renderRetries({ retried, unknownTargets: 2, dryRun: false }, PIPED),
    `notification 7: flow.ended for ops
1 notification will be delivered again
2 notifications left: the target is not configured
`,
  );
  const would = renderRetries({ retried, unknownTargets: 0, dryRun: true }, PIPED);
  assert.match(would, '1 notification would be retried\n');
  const none = renderRetries({ retried: [], unknownTargets: 0, dryRun: false }, PIPED);
  assert.is(none, '0 notifications will be delivered again\n');
});

test.run();
