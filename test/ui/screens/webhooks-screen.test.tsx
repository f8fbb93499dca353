import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { iso } from '../../../src/engine/support/time.js';
import type { WebhooksSnapshot } from '../../../src/engine/webhooks/live-webhooks.js';
import { openWebhooksScreen } from '../../../src/ui/screens/webhooks/run.js';
import { createStyle } from '../../../src/ui/style.js';
import {
  assertFits,
  assertRestored,
  createTerminal,
  KEYS,
  TERMINAL_SIZES,
  typeAndDraw,
  waitForText,
} from '../../support/terminal.js';
import { waitFor } from '../../support/wait.js';
import { liveWebhooks, NOW, SERVE, snapshot } from './webhooks-builders.js';

/** The screen of a listener, in a terminal. */
function open(columns: number, rows: number, live?: WebhooksSnapshot) {
  const terminal = createTerminal(columns, rows);
  terminal.stdout.write('$ svc webhook serve\n');
  const calls: string[] = [];
  let now = live;
  const screen = openWebhooksScreen({
    stdin: terminal.stdin,
    stdout: terminal.stdout,
    style: createStyle(false),
    now: () => NOW,
    mask: (data) => data,
    explain: String,
    copy: (text) => void calls.push(`copy ${text}`),
    isWatched: live === undefined,
    onReload: async () => {
      calls.push('reload');
      return 'configuration reloaded';
    },
    onStop: (key) => void calls.push(key),
  });
  let snapshots = 0;
  if (now !== undefined) {
    const current = now;
    screen.setServe(SERVE);
    screen.setWebhooks(
      liveWebhooks(() => {
        snapshots += 1;
        return now ?? current;
      }, calls),
    );
  }
  const change = (next: WebhooksSnapshot): void => {
    now = next;
  };
  const shows = (text: string) => waitForText(terminal, text);
  return { terminal, calls, screen, change, shows, snapshots: () => snapshots };
}

for (const [columns, rows] of TERMINAL_SIZES) {
  test(`fits a terminal of ${columns} by ${rows}, shows routes and flows, and restores it`, async () => {
    const { terminal, calls, screen, shows, snapshots } = open(columns, rows, snapshot());
    await shows('✗ lost');
    const lines = terminal.screen();
    assertFits(terminal);
    const text = lines.join('\n');
    // With its port, which would be lost at the end of a title.
    assert.match(text, /^ *svc · webhooks .*http:\/\/127\.0\.0\.1:8787$/m);
    assert.match(text, /✓ ci0 .*13\/min/);
    assert.match(text, /rejected: 1 unauthorized/);
    // Where there is little room, routes and what they refuse come first.
    if (rows > 12) assert.match(text, /running +[\da-f]{8} {2}Build 0 \\e\[31m/);
    const before = snapshots();
    await waitFor('another look', () => snapshots() > before);
    terminal.type('Rq');
    await waitFor('two calls', () => calls.length === 2);
    assert.equal(calls, ['reload', 'q']);
    terminal.type(KEYS.ctrlC);
    await waitFor('the third', () => calls.length === 3);
    await screen.close();
    assertRestored(terminal, '$ svc webhook serve');
  });
}

test('a frame is never wider than its terminal and always shorter, whatever it contains', async () => {
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
        await typeAndDraw(terminal, key);
        assertFits(terminal);
        await screen.close();
      },
    ),
    { numRuns: 30 },
  );
});

for (const columns of [60, 80]) {
  test(`the last request of a route is not cut in ${columns} columns`, async () => {
    const before = snapshot(1);
    const routes = before.routes.map((route) => {
      const atMs = NOW - 59 * 60_000;
      const last = { status: 400, code: 'invalid_request', action: null, atMs, requestId: 'r' };
      return { ...route, id: 'github', activity: { ...route.activity, last } };
    });
    const { screen, shows } = open(columns, 24, { ...before, routes });
    await shows('400 invalid_request 59 min ago');
    await screen.close();
  });
}

test('where not all routes fit, those that are skipped or fail come first', async () => {
  const before = snapshot(30);
  const routes = before.routes.map((route) => {
    if (route.id !== 'ci29') return route;
    const last = { status: 503, code: 'store_busy', action: null, atMs: NOW, requestId: 'r' };
    return { ...route, activity: { ...route.activity, last } };
  });
  const { terminal, screen, shows } = open(80, 24, { ...before, routes });
  await shows('more: svc webhook routes');
  assert.match(terminal.screen().join('\n'), /! ci29 .*✗ lost .*✓ ci0 .*… \d+ more/s);
  await screen.close();
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

test('at 40 by 15, deliveries are filtered, opened with a click, copied and replayed', async () => {
  const { terminal, calls, screen, shows } = open(40, 15, snapshot(1, 1, 40));
  await shows('❯ ');
  const listed = (count: number) =>
    waitFor(
      `${count} rows`,
      () => terminal.screen().join('\n').split('github ').length === count + 1,
    );
  terminal.type('/gh-9\r');
  await listed(1);
  const row = terminal.screen().findIndex((line) => line.includes('❯')) + 1;
  terminal.type(`\u001B[<0;10;${row}M\u001B[<0;10;${row}m`);
  await shows('delivery d000000009');
  assert.match(terminal.screen().join('\n'), /401/);
  terminal.type('\u001B[<65;5;5M');
  await waitFor('the next line', () => !terminal.screen().join().includes('delivery d000000009'));
  terminal.type('y');
  await shows('copied d000000009');
  terminal.type(KEYS.escape);
  await shows('❯ ');
  terminal.type(KEYS.escape);
  await waitFor('all rows', () => terminal.screen().join().includes('more'));
  terminal.type('/gh-10\r');
  await listed(1);
  await shows('create_flow');
  terminal.type('ry');
  await waitFor('the replay', () => calls.length === 2);
  assert.equal(calls, ['copy d000000009', 'replay d000000010']);
  await screen.close();
});

test('a delivery is opened, filtered and replayed; new ones do not move the selection', async () => {
  const { terminal, calls, screen, change, shows } = open(80, 24, snapshot(1, 1, 40));
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
  await shows('replay: delivery d000000038 of route github?  y/n');
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
  terminal.type('r/GH-9 push\r');
  await shows('❯ d000000009');
  assert.equal(calls, ['replay d000000038', 'replay d000000038 again']);
  await screen.close();
});

for (const [columns, rows] of TERMINAL_SIZES) {
  test(`at ${columns} by ${rows}, says why it cannot listen, what to do and when it tries again`, async () => {
    const { terminal, screen, shows } = open(columns, rows, { ...snapshot(), routes: [] });
    screen.setWebhooks(undefined);
    const [listener] = SERVE.services;
    if (listener === undefined) throw new Error('there is no listener');
    const failure = {
      code: 'LISTEN_FAILED',
      message: 'cannot listen on 127.0.0.1:8787: the port is in use',
      hint: 'stop the program that uses it, or set gateway.port or gateway.admin.port to another port',
    };
    const waiting = { state: 'waiting', url: null, failure, retryAt: iso(NOW + 4000) } as const;
    screen.setServe({ ...SERVE, services: [{ ...listener, ...waiting }] });
    await shows(rows > 12 || columns > 60 ? 'another port' : 'stop the program that uses it');
    const text = terminal.screen().join('\n').replaceAll(/\s+/g, ' ');
    assert.match(text, '✗ cannot listen on 127.0.0.1:8787: the port is in use · retry in 0:04');
    // The first frame may be from before the list was read.
    await waitFor('no list', () => !/reading|deliveries/u.test(terminal.screen().join('\n')));
    assertFits(terminal);
    await screen.close();
  });
}

test('a listener without routes says so', async () => {
  const { screen, shows } = open(80, 24, { ...snapshot(), routes: [] });
  await shows('no routes configured: add one below plugins.entries.webhooks');
  await screen.close();
});

test('the listener of another process is only viewed: Esc quits and stops nothing', async () => {
  const { terminal, calls, screen } = open(80, 24);
  await waitForText(terminal, 'not running: start it with "svc serve"');
  // What has not been read yet is no reason to say so.
  assert.not.match(terminal.screen().join('\n'), 'no routes configured');
  terminal.type('?');
  await waitForText(terminal, 'q, ctrl-c');
  assert.not.match(terminal.screen().join('\n'), 'keeps running');
  terminal.type('?');
  screen.setWebhooks(liveWebhooks(() => ({ ...snapshot(), routes: [] }), calls));
  await waitForText(terminal, 'no routes configured');
  screen.setServe(SERVE);
  await waitForText(terminal, 'http://127.0.0.1:8787');
  let fault: unknown = new Error('flows.sqlite is damaged');
  screen.setWebhooks({ ...liveWebhooks(snapshot, calls), flowsFault: () => fault });
  await waitForText(terminal, 'flows.sqlite is damaged');
  await waitForText(terminal, '✓ ci0');
  fault = undefined;
  await waitFor('flows that can be read', () => !terminal.screen().join('').includes('damaged'));
  terminal.type('?');
  await waitForText(terminal, 'quit; the listener keeps running');
  terminal.type(KEYS.escape);
  await waitFor('the list to close', () => !terminal.screen().join('').includes('keeps running'));
  assert.equal(calls, []);
  terminal.type(KEYS.escape);
  await waitFor('the order', () => calls.length === 1);
  assert.equal(calls, ['q']);
  await screen.close();
});

test.run();
