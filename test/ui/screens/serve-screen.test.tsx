import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ServeState, ServiceSnapshot } from '../../../src/engine/serve/index.js';
import { textWidth } from '../../../src/ui/fit.js';
import { serveFrame } from '../../../src/ui/screens/serve/frame.js';
import { openServeScreen } from '../../../src/ui/screens/serve/run.js';
import {
  reduceServeScreen,
  type ServeScreenEvent,
  startServeScreen,
} from '../../../src/ui/screens/serve/state.js';
import { createStyle } from '../../../src/ui/style.js';
import {
  assertRestored,
  createTerminal,
  KEYS,
  TERMINAL_SIZES,
  waitFor,
  waitForText,
} from '../../support/terminal.js';

const NOW = 10_000_000;

function service(name: string, part: Partial<ServiceSnapshot> = {}): ServiceSnapshot {
  return {
    name,
    state: 'ready',
    sinceMs: NOW - 180_000,
    event: 'up to date',
    eventMs: NOW,
    restarts: 0,
    failure: null,
    retryMs: null,
    ...part,
  };
}

const WAITING = service('memory:work', {
  state: 'waiting',
  restarts: 3,
  retryMs: NOW + 8000,
  failure: {
    code: 'WORKSPACE_MISSING',
    message: 'there is no workspace at /srv/work',
    hint: 'make it (mkdir -p /srv/work)',
  },
});

function serving(services: readonly ServiceSnapshot[]): ServeState {
  const logFile = '/home/ada/.svc/logs/serve.log';
  return { pid: 4711, startedMs: NOW - 7_200_000, configFile: null, logFile, services };
}

const ALL = serving([service('health', { event: 'listening on http://127.0.0.1:8787' }), WAITING]);

function open(columns: number, rows: number) {
  const terminal = createTerminal(columns, rows);
  terminal.stdout.write('$ svc serve\n');
  const orders: string[] = [];
  const screen = openServeScreen({
    stdin: terminal.stdin,
    stdout: terminal.stdout,
    style: createStyle(false),
    homeDir: '/home/ada',
    now: () => NOW,
    onReload: () => orders.push('reload'),
    onStop: (key) => orders.push(key),
  });
  return { terminal, orders, screen };
}

for (const [columns, rows] of TERMINAL_SIZES) {
  test(`fits a terminal of ${columns} by ${rows} and leaves it as it was`, async () => {
    const { terminal, screen } = open(columns, rows);
    screen.changed(ALL);
    await waitForText(terminal, '✗ memory:work');
    const lines = terminal.screen();
    assert.ok(lines.length < rows);
    for (const line of lines) assert.ok(textWidth(line) <= columns, line);
    const text = lines.join('\n');
    assert.match(text, /process 4711 +since 2 h/);
    assert.match(text, /✓ health +ready +3 min +listening on/);
    assert.match(text, /✗ memory:work +waiting +3 min +retry in 0:08/);
    assert.match(text, /there is no workspace at \/srv\/work\n.*→ make it/);
    assert.match(text, /log ~\/\.svc\/logs\/serve\.log\n {2}r reload {3}\? help {3}q stop$/);
    await screen.close();
    assertRestored(terminal, '$ svc serve');
  });
}

test('keys reload and stop; once it stops they say so', async () => {
  const { terminal, orders, screen } = open(80, 24);
  screen.changed(ALL);
  await waitForText(terminal, 'r reload');
  terminal.type('rq');
  await waitFor('the orders', () => orders.length === 2);
  screen.stopping();
  await waitForText(terminal, 'q stop now');
  terminal.type(KEYS.ctrlC);
  await waitFor('the third', () => orders.length === 3);
  assert.equal(orders, ['reload', 'q', 'ctrl-c']);
  terminal.type('?');
  await waitForText(terminal, 'close help');
  assert.not(terminal.screen().join().includes('reload the configuration'));
  terminal.type(KEYS.escape);
  await waitFor('no list', () => !terminal.screen().join().includes('close help'));
  await screen.close();
});

test('where not all fit, those that are well make room for those that are not', () => {
  const many = Array.from({ length: 40 }, (_, n) => service(`memory:agent-${n}`));
  const state = { ...startServeScreen(NOW), serve: serving([...many, WAITING]) };
  const options = { style: createStyle(false), homeDir: '/home/ada' };
  const text = serveFrame(state, options, { columns: 80, rows: 24 }).join('\n');
  assert.match(text, /✗ memory:work/);
  assert.match(text, /there is no workspace/);
  assert.match(text, /… 26 more, all running/);
});

test('any services make a frame that fits', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 60 });
  const aService = fc.record({
    name: text,
    state: fc.constantFrom('draining', 'ready', 'starting', 'stopped', 'waiting'),
    sinceMs: fc.nat(),
    event: fc.option(text),
    eventMs: fc.option(fc.nat()),
    restarts: fc.nat(),
    failure: fc.option(
      fc.record({ code: fc.constant(null), message: text, hint: fc.option(text) }),
    ),
    retryMs: fc.option(fc.nat()),
  });
  const anEvent: fc.Arbitrary<ServeScreenEvent> = fc.oneof(
    fc.record({
      type: fc.constant('changed' as const),
      serve: fc.array(aService, { maxLength: 30 }).map(serving),
      nowMs: fc.nat(),
    }),
    fc.constant<ServeScreenEvent>({ type: 'stopping' }),
    fc.constant<ServeScreenEvent>({ type: 'help.toggled' }),
  );
  const options = { style: createStyle(false), homeDir: '/home/ada' };
  fc.assert(
    fc.property(
      fc.array(anEvent, { maxLength: 5 }),
      fc.integer({ min: 20, max: 200 }),
      fc.integer({ min: 2, max: 50 }),
      (events, columns, rows) => {
        const state = events.reduce(reduceServeScreen, startServeScreen(NOW));
        const frame = serveFrame(state, options, { columns, rows });
        assert.ok(frame.length <= Math.max(1, rows - 1));
        for (const line of frame) assert.ok(textWidth(line) <= columns, line);
      },
    ),
  );
});

test.run();
