import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type {
  LogRecord,
  ServeQueue,
  ServeState,
  ServiceSnapshot,
} from '../../../src/engine/serve/index.js';
import { iso } from '../../../src/engine/support/time.js';
import { openServeScreen } from '../../../src/ui/screens/serve/run.js';
import { withRecord } from '../../../src/ui/screens/serve/view.js';
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
import { liveWebhooks, snapshot } from './webhooks-builders.js';

const NOW = 10_000_000;

function service(name: string, part: Partial<ServiceSnapshot> = {}): ServiceSnapshot {
  return {
    name,
    state: 'ready',
    since: iso(NOW - 180_000),
    url: null,
    event: 'up to date',
    eventAt: iso(NOW),
    restarts: 0,
    failure: null,
    retryAt: null,
    ...part,
  };
}

const WAITING = service('memory:work', {
  state: 'waiting',
  restarts: 3,
  retryAt: iso(NOW + 8000),
  failure: {
    code: 'WORKSPACE_MISSING',
    message: 'there is no workspace at /srv/work',
    hint: 'make it (mkdir -p /srv/work)',
  },
});

function serving(services: readonly ServiceSnapshot[]): ServeState {
  const logFile = '/home/ada/.svc/logs/serve.log';
  return {
    command: 'svc serve',
    pid: 4711,
    startedMs: NOW - 7_200_000,
    configFile: null,
    logFile,
    services,
  };
}

const ALL = serving([service('health', { event: 'listening on http://127.0.0.1:8787' }), WAITING]);

const QUEUE: ServeQueue = {
  queued: 3,
  running: 1,
  notifications: 2,
  pauses: [{ runtime: 'cli', reason: 'deploying', pausedAt: NOW - 60_000 }],
};

function open(
  columns: number,
  rows: number,
  queue: () => Promise<ServeQueue | undefined> = async () => undefined,
  now = () => NOW,
) {
  const terminal = createTerminal(columns, rows);
  terminal.stdout.write('$ svc serve\n');
  const calls: string[] = [];
  const screen = openServeScreen({
    stdin: terminal.stdin,
    stdout: terminal.stdout,
    style: createStyle(false),
    homeDir: '/home/ada',
    now,
    queue,
    explain: (error) => (error instanceof Error ? error.message : String(error)),
    onReload: async () => {
      calls.push('reload');
      if (calls.length > 1) throw new Error('svc.json:1: not JSON');
      return 'configuration reloaded';
    },
    onStop: (key) => calls.push(key),
  });
  return { terminal, calls, screen, shows: (text: string) => waitForText(terminal, text) };
}

test('a reload is reported, and so is why there was none', async () => {
  const { terminal, screen, shows } = open(80, 24);
  screen.setServe(ALL);
  await shows('r reload');
  terminal.type('r');
  await shows('configuration reloaded');
  terminal.type('r');
  await shows('svc.json:1: not JSON');
  await screen.close();
});

for (const [columns, rows] of TERMINAL_SIZES) {
  test(`fits a terminal of ${columns} by ${rows} and restores it`, async () => {
    const { terminal, screen, shows } = open(columns, rows);
    screen.setServe(ALL);
    await shows('✗ memory:work');
    const lines = terminal.screen();
    assertFits(terminal);
    const text = lines.join('\n');
    assert.match(text, /process 4711 +started 2 h ago · 1 failing/);
    assert.match(text, /✓ health +ready +(?:3 min ago +)?listening on/);
    assert.match(text, /✗ memory:work +waiting +(?:3 min ago +)?retry in 0:08/);
    assert.match(text, /r reload.*\? help {3}q stop$/);
    terminal.type('G');
    await shows('there is no workspace at /srv/work');
    await screen.close();
    assertRestored(terminal, '$ svc serve');
  });
}

test('keys reload and stop; while stopping they say so, and Esc does not stop', async () => {
  const { terminal, calls, screen, shows } = open(80, 24);
  screen.setServe(ALL);
  await shows('r reload');
  terminal.type('rq');
  await waitFor('the calls', () => calls.length === 2);
  await shows('configuration reloaded');
  terminal.type('k');
  screen.setStopping();
  await shows('q stop now');
  terminal.type(KEYS.ctrlC);
  await waitFor('the third', () => calls.length === 3);
  terminal.type('?');
  await shows('close this help');
  assert.not(terminal.screen().join().includes('reload the configuration'));
  terminal.type(KEYS.escape);
  await waitFor('no list', () => !terminal.screen().join().includes('close this help'));
  terminal.type('j');
  await shows('❯ ✗ memory:work');
  assert.equal(calls, ['reload', 'q', 'ctrl-c']);
  await screen.close();
});

test('shows the traffic, the queue and what is paused', async () => {
  const { terminal, screen, shows } = open(120, 24, async () => QUEUE);
  const services = ['webhooks', 'flows', 'tasks'].map((name) => service(name));
  screen.setServe(serving(services));
  screen.setWebhooks(liveWebhooks(snapshot));
  await shows('13/min');
  await shows('cli tasks paused 1 min ago: deploying');
  const text = terminal.screen().join('\n');
  assert.match(text, /✓ webhooks .*·····.+ 13\/min/);
  assert.match(text, /✓ flows .* 2 notifications/);
  assert.match(text, /✓ tasks .* 3 queued · 1 running/);
  await screen.close();
});

test('shows the traffic while the queue cannot be read, which is not asked for again meanwhile', async () => {
  let reads = 0;
  const { screen, shows } = open(120, 24, () => {
    reads += 1;
    return new Promise(() => undefined);
  });
  screen.setServe(serving([service('webhooks')]));
  await waitFor('the first read', () => reads === 1);
  screen.setWebhooks(liveWebhooks(snapshot));
  await shows('13/min');
  assert.is(reads, 1);
  await screen.close();
});

test('shows what a service logged last, and a store that cannot be read as a fault', async () => {
  const { terminal, screen, shows } = open(80, 24, async () => {
    throw new Error('the flow store is locked');
  });
  screen.setServe(ALL);
  await shows('nothing logged yet');
  const log = (service: string, message: string): void => {
    const record: LogRecord = { level: 'warn', time: '', message, fields: { service, ms: 3 } };
    screen.addRecord(record);
  };
  log('memory:work', 'no workspace');
  for (let n = 0; n < 300; n += 1) log('health', `checked ${n}\u001B[2J`);
  await shows('checked 299\\e[2J ms=3');
  assert.not.match(terminal.screen().join(), 'no workspace ms');
  terminal.type('j');
  await shows('no workspace ms=3');
  await shows('the flow store is locked');
  await screen.close();
});

test('if not all fit, the list scrolls, and f lists the failing ones', async () => {
  const { terminal, screen, shows } = open(80, 24);
  const many = Array.from({ length: 40 }, (_, n) => service(`memory:agent-${n}`));
  screen.setServe(serving([...many, WAITING]));
  await shows('1 failing');
  await waitFor('the rest of the list', () => /↓ \d+ more/.test(terminal.screen().join('\n')));
  terminal.type('f');
  await shows('❯ ✗ memory:work');
  await shows('there is no workspace');
  await screen.close();
});

test('keeps the latest records of each service only', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('a', 'constructor'), { maxLength: 300 }), (names) => {
      let logs: ReadonlyMap<string, readonly LogRecord[]> = new Map();
      for (const [at, name] of names.entries()) {
        const record: LogRecord = {
          level: 'info',
          time: '',
          message: String(at),
          fields: { service: name },
        };
        logs = withRecord(logs, record);
      }
      for (const [name, records] of logs) {
        const expected = names.flatMap((one, at) => (one === name ? [String(at)] : []));
        assert.equal(
          records.map(({ message }) => message),
          expected.toReversed().slice(0, 100),
        );
      }
    }),
  );
});

test('times go on while the queue cannot be read', async () => {
  let nowMs = NOW;
  let isDown = true;
  const queue = async () => {
    if (isDown) throw new Error('cannot reach the server');
    return undefined;
  };
  const { screen, shows, terminal } = open(80, 24, queue, () => nowMs);
  screen.setServe(ALL);
  await shows('retry in 0:08');
  nowMs += 3000;
  await shows('cannot reach the server');
  await shows('retry in 0:05');
  isDown = false;
  const shown = () => terminal.screen().join('\n');
  await waitFor('the error to go', () => !shown().includes('cannot reach the server'));
  await screen.close();
});

test('any services fit any terminal', async () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 60 });
  const aService = fc.record({
    name: text,
    state: fc.constantFrom('draining', 'ready', 'starting', 'stopped', 'waiting'),
    since: fc.nat().map(iso),
    url: fc.option(text),
    event: fc.option(text),
    eventAt: fc.option(fc.nat().map(iso)),
    restarts: fc.nat(),
    failure: fc.option(
      fc.record({ code: fc.constant(null), message: text, hint: fc.option(text) }),
    ),
    retryAt: fc.option(fc.nat().map(iso)),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(aService, { maxLength: 30 }),
      fc.integer({ min: 16, max: 200 }),
      fc.integer({ min: 2, max: 50 }),
      fc.constantFrom('', '?', KEYS.enter, 'G', 'f'),
      async (services, columns, rows, key) => {
        const { terminal, screen } = open(columns, rows);
        screen.setServe(serving(services));
        await waitFor('a frame', () => terminal.screen().join().length > 0);
        await typeAndDraw(terminal, key);
        assertFits(terminal);
        await screen.close();
      },
    ),
    { numRuns: 30 },
  );
});

test.run();
