import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { EMPTY_FLOW } from '../../../src/engine/flows/flow-record.js';
import { newFlowId } from '../../../src/engine/flows/ids.js';
import type { FlowRecord } from '../../../src/engine/flows/index.js';
import type { ServeState } from '../../../src/engine/serve/index.js';
import { WebhookActivity } from '../../../src/engine/webhooks/activity.js';
import type { LiveWebhooks, WebhooksSnapshot } from '../../../src/engine/webhooks/live-webhooks.js';
import { sparkline } from '../../../src/ui/components/sparkline.js';
import { textWidth } from '../../../src/ui/fit.js';
import { openWebhooksScreen } from '../../../src/ui/screens/webhooks/run.js';
import { createStyle } from '../../../src/ui/style.js';
import {
  assertRestored,
  createTerminal,
  KEYS,
  TERMINAL_SIZES,
  waitFor,
  waitForText,
} from '../../support/terminal.js';

const NOW = 1_795_000_000_000;

const SERVE: ServeState = {
  pid: 4711,
  startedMs: NOW - 180_000,
  configFile: null,
  logFile: null,
  services: [
    {
      name: 'webhooks',
      state: 'ready',
      sinceMs: NOW,
      event: 'listening on http://127.0.0.1:8787',
      eventMs: NOW,
      restarts: 0,
      failure: null,
      retryMs: null,
    },
  ],
};

type Delivery = WebhooksSnapshot['deliveries'][number];

function delivery(n: number): Delivery {
  const isRefused = n % 3 === 0;
  return {
    seq: n,
    id: `d${String(n).padStart(9, '0')}`,
    atMs: NOW - n * 1000,
    route: 'github',
    deliveryId: `gh-${n}`,
    event: 'push',
    clientIp: '::1',
    requestId: `req-${n}`,
    status: isRefused ? 401 : 200,
    code: isRefused ? 'unauthorized' : null,
    reason: isRefused ? 'X-Hub-Signature-256 is missing \u001B[31m' : null,
    ms: 3,
    action: isRefused ? null : 'create_flow',
    flowId: isRefused ? null : newFlowId(n),
    replayOf: null,
    isVerified: !isRefused,
    bodyState: isRefused ? 'none' : 'whole',
    bodyBytes: 20,
  };
}

const NO_DELIVERIES: LiveWebhooks['deliveries'] = {
  list: () => [],
  find: () => {
    throw new Error('there is none');
  },
  replay: () => Promise.reject(new Error('there is none')),
};

function snapshot(routes = 1, flows = 1, deliveries = 0): WebhooksSnapshot {
  const activity = new WebhookActivity();
  const request = { requestId: 'r', clientIp: '::1', ms: 1 };
  for (let n = 0; n < 12; n++) {
    const answered = { ...request, routeId: 'ci0', status: 200, code: null, action: 'create_flow' };
    activity.record(answered, NOW - (12 - n) * 1000);
  }
  const refused = { status: 401, code: 'unauthorized', action: null } as const;
  activity.record({ ...request, ...refused, routeId: 'ci0' }, NOW);
  return {
    routes: [
      ...Array.from({ length: routes }, (_, n) => ({
        id: `ci${n}`,
        path: `/plugins/webhooks/ci${n}`,
        sessionKey: 'agent:main:ci',
        controllerId: 'webhooks/ci',
        description: null,
        scheme: 'secret',
        rules: null,
        state: 'served' as const,
        secretSource: 'env CI',
        fault: null,
        activity: activity.live(`ci${n}`, NOW),
      })),
      {
        id: 'lost',
        path: '/plugins/webhooks/lost',
        sessionKey: 'agent:main:ci',
        controllerId: 'webhooks/lost',
        description: null,
        scheme: 'secret',
        rules: null,
        state: 'skipped' as const,
        secretSource: 'env LOST',
        fault: { message: 'cannot resolve env LOST', hint: 'set LOST' },
        activity: activity.live('lost', NOW),
      },
    ],
    flows: Array.from({ length: flows }, (_, n) => flow(n)),
    deliveries: Array.from({ length: deliveries }, (_, n) => delivery(n)).toReversed(),
  };
}

function flow(n: number): FlowRecord {
  return {
    ...EMPTY_FLOW,
    seq: n,
    flowId: newFlowId(n),
    ownerKey: 'agent:main:ci',
    syncMode: 'managed',
    revision: 1,
    status: 'running',
    notifyPolicy: 'done_only',
    goal: `Build ${n} \u001B[31m 秘密`,
    currentStep: 'compiling',
    createdAt: NOW,
    updatedAt: NOW,
  };
}

for (const [columns, rows] of TERMINAL_SIZES) {
  test(`fits a terminal of ${columns} by ${rows}, shows routes and flows, and leaves it as it was`, async () => {
    const terminal = createTerminal(columns, rows);
    terminal.stdout.write('$ svc webhook serve\n');
    const orders: string[] = [];
    let looks = 0;
    const screen = openWebhooksScreen({
      stdin: terminal.stdin,
      stdout: terminal.stdout,
      style: createStyle(false),
      now: () => NOW,
      mask: (data) => data,
      explain: String,
      onReload: () => orders.push('reload'),
      onStop: (key) => orders.push(key),
    });
    screen.changed(SERVE);
    screen.webhooks({
      snapshot: async () => {
        looks += 1;
        return snapshot();
      },
      follow: () => undefined,
      deliveries: NO_DELIVERIES,
      close: () => undefined,
    });
    await waitForText(terminal, '✗ lost');
    const lines = terminal.screen();
    assert.ok(lines.length < rows);
    for (const line of lines) assert.ok(textWidth(line) <= columns, line);
    const text = lines.join('\n');
    assert.match(text, /svc · webhooks · listening/);
    assert.match(text, /✓ ci0 .*13\/min/);
    assert.match(text, /rejected: 1 unauthorized/);
    // Where there is little room, routes and what they refuse come first.
    if (rows > 12) assert.match(text, /running +[\da-f]{8} {2}Build 0 \\e\[31m/);
    await waitFor('another look', () => looks > 1);
    terminal.stdin.write('R');
    terminal.stdin.write('q');
    await waitFor('two orders', () => orders.length === 2);
    assert.equal(orders, ['reload', 'q']);
    terminal.stdin.write(KEYS.ctrlC);
    await waitFor('the third', () => orders.length === 3);
    await screen.close();
    assertRestored(terminal, '$ svc webhook serve');
  });
}

/** The screen with deliveries to browse, in a terminal. */
function open(columns: number, rows: number, live: WebhooksSnapshot) {
  const terminal = createTerminal(columns, rows);
  const orders: string[] = [];
  let now = live;
  const screen = openWebhooksScreen({
    stdin: terminal.stdin,
    stdout: terminal.stdout,
    style: createStyle(false),
    now: () => NOW,
    mask: (data) => data,
    explain: String,
    onReload: () => orders.push('reload'),
    onStop: (key) => orders.push(key),
  });
  screen.changed(SERVE);
  screen.webhooks({
    snapshot: async () => now,
    follow: () => undefined,
    deliveries: {
      list: ({ failed }) => now.deliveries.filter(({ status }) => failed !== true || status >= 400),
      find: (id) => {
        const found = now.deliveries.find((one) => one.id === id);
        if (found === undefined) throw new Error('there is none');
        return { ...found, headers: { 'x-github-event': 'push' }, body: '{"ref":"\\u001B[2J"}' };
      },
      replay: async ({ id, again }) => {
        orders.push(`replay ${id}${again ? ' again' : ''}`);
        const of = { ...delivery(1), headers: {}, body: '' };
        const answer = { status: 200, code: null, headers: {}, lingers: false, body: {} };
        return { of, id: 'new', answer, isFirstAnswer: !again, unrecorded: undefined };
      },
    },
    close: () => undefined,
  });
  const change = (next: WebhooksSnapshot): void => {
    now = next;
  };
  return { terminal, orders, screen, change, shows: (text: string) => waitForText(terminal, text) };
}

test('a frame is never wider or as tall as its terminal, however much there is', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 20, max: 200 }),
      fc.integer({ min: 2, max: 60 }),
      fc.nat(30),
      fc.nat(60),
      fc.nat(120),
      fc.constantFrom('', '?', KEYS.enter, '/x'),
      async (columns, rows, routes, flows, deliveries, key) => {
        const { terminal, screen } = open(columns, rows, snapshot(routes, flows, deliveries));
        await waitFor('a frame', () => terminal.screen().length > 0);
        terminal.type(key);
        await new Promise((resolve) => setTimeout(resolve, 40));
        const lines = terminal.screen();
        await screen.close();
        assert.ok(lines.length < Math.max(rows, 2), `${lines.length} of ${rows}`);
        for (const line of lines) {
          assert.ok(textWidth(line) <= columns, `${textWidth(line)} of ${columns}: ${line}`);
        }
      },
    ),
    { numRuns: 30 },
  );
});

for (const [columns, rows] of [
  [40, 15],
  [80, 24],
  [120, 40],
  [200, 60],
] as const) {
  test(`lists deliveries below the routes at ${columns} by ${rows}`, async () => {
    const { terminal, screen, shows } = open(columns, rows, snapshot(1, 9, 80));
    await shows('❯ ');
    const text = terminal.screen().join('\n');
    assert.match(text, /✓ ci0 .*✗ lost.*❯ /s);
    assert.match(text, rows >= 40 ? /flows\n/ : /↓ \d+ more/);
    if (columns >= 80) assert.match(text, /github +401 +push.*unauthorized/);
    await screen.close();
  });
}

test('a delivery is opened, filtered and replayed; new ones do not move the selection', async () => {
  const { terminal, orders, screen, change, shows } = open(80, 24, snapshot(1, 1, 40));
  await shows('❯ d000000039');
  terminal.type('j');
  await shows('❯ d000000038');
  change(snapshot(1, 1, 43));
  await shows('43 deliveries');
  await shows('❯ d000000038');
  terminal.type(KEYS.enter);
  await shows('x-github-event');
  await shows('"ref": "\\u001b[2J"');
  terminal.type('r');
  await shows('replay: delivery d000000038 of github?  y/n');
  terminal.type('n');
  terminal.type('ry');
  await shows('performed before: its first answer was 200 performed; a performs it again');
  terminal.type('ay');
  await shows('replayed: 200 performed');
  terminal.type(KEYS.escape);
  await shows('❯ d000000038');
  terminal.type('f');
  await shows('failed · 15 deliveries');
  // Without a body, there is nothing to replay.
  terminal.type('ry/GH-9 push\r');
  await shows('❯ d000000009');
  assert.equal(orders, ['replay d000000038', 'replay d000000038 again']);
  await screen.close();
});

test('a listener of another process is only looked at: Esc leaves it, and nothing stops', async () => {
  const terminal = createTerminal(80, 24);
  const orders: string[] = [];
  const screen = openWebhooksScreen({
    stdin: terminal.stdin,
    stdout: terminal.stdout,
    style: createStyle(false),
    now: () => NOW,
    mask: (data) => data,
    explain: String,
    isWatched: true,
    onReload: () => undefined,
    onStop: (key) => orders.push(key),
  });
  await waitForText(terminal, 'not running: start it with "svc serve"');
  assert.match(terminal.screen().join('\n'), 'no routes configured');
  screen.changed(SERVE);
  await waitForText(terminal, 'listening on http');
  terminal.type('?');
  await waitForText(terminal, 'quit; the listener keeps running');
  terminal.type(KEYS.escape);
  await waitFor('the list to close', () => !terminal.screen().join('').includes('keeps running'));
  assert.equal(orders, []);
  terminal.type(KEYS.escape);
  await waitFor('the order', () => orders.length === 1);
  assert.equal(orders, ['q']);
  await screen.close();
});

test('a sparkline shows the highest as full, nothing as a dot, and little as little', () => {
  assert.is(sparkline([0, 1, 4, 8], 4), '·▁▄█');
  assert.is(sparkline([1, 1, 0, 0, 1000, 0], 3), '▁·█');
  assert.is(sparkline([], 10), '');
  assert.is(sparkline([5], 0), '');
});

test.run();
