import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { SyncEvent, SyncSummary } from '../../../src/engine/memory/sync/events.js';
import { runIndexScreen } from '../../../src/ui/screens/index/run.js';
import { createStyle } from '../../../src/ui/style.js';
import { errorOf } from '../../support/failure.js';
import {
  assertFits,
  assertRestored,
  createTerminal,
  type FakeTerminal,
  KEYS,
  TERMINAL_SIZES,
  waitForText,
} from '../../support/terminal.js';
import { waitFor } from '../../support/wait.js';
import { aSummary } from '../memory/sync-builders.js';

interface OpenedScreen {
  readonly terminal: FakeTerminal;
  readonly emit: (event: SyncEvent) => void;
  readonly finish: (summary: SyncSummary) => void;
  readonly fail: (error: Error) => void;
  readonly ended: Promise<SyncSummary>;
  readonly interrupts: number[];
}

function open(columns: number, rows: number): OpenedScreen {
  const terminal = createTerminal(columns, rows);
  terminal.stdout.write('$ svc memory index\n');
  const interrupts: number[] = [];
  let emit: OpenedScreen['emit'] = () => undefined;
  let finish: OpenedScreen['finish'] = () => undefined;
  let fail: OpenedScreen['fail'] = () => undefined;
  let atMs = 0;
  const ended = runIndexScreen({
    stdin: terminal.stdin,
    stdout: terminal.stdout,
    style: createStyle(false),
    title: { agentId: 'main', place: '~/notes/of/a/person/with/long/paths', backend: 'builtin' },
    // The clock advances with each call, so that the store may draw each event.
    now: () => {
      atMs += 100;
      return atMs;
    },
    start: (onEvent) => {
      emit = onEvent;
      return new Promise((resolve, reject) => {
        finish = resolve;
        fail = reject;
      });
    },
    onInterrupt: () => interrupts.push(interrupts.length + 1),
    verbose: false,
  });
  return { terminal, emit, finish, fail, ended, interrupts };
}

function work({ emit }: OpenedScreen): void {
  emit({ type: 'rebuild.started', reason: 'first', detail: '' });
  emit({
    type: 'scan.finished',
    files: 1283,
    bytes: 16.1e6,
    filesToIndex: 1283,
    workToIndex: 16.1e6,
  });
  for (let at = 0; at < 100; at += 1) {
    emit({
      type: 'document.indexed',
      path: `memory/日本/${at}\u001B[2J.md`,
      work: 100_000,
      chunks: 10,
    });
  }
  emit({ type: 'document.skipped', path: 'memory/\nold.md', reason: 'permission_denied' });
  emit({ type: 'batch.committed', documents: 100 });
}

/** Waits for the whole frame, and nothing else. */
async function waitForWhole(terminal: FakeTerminal): Promise<void> {
  await waitFor(
    'the whole frame and nothing else',
    () => {
      const rows = terminal.screen().filter((row) => row !== '');
      const isFramed = / · builtin$/u.test(rows[0] ?? '') && /\? help$/u.test(rows[6] ?? '');
      return isFramed && rows.length === 7;
    },
    terminal.screen,
  );
}

for (const [columns, rows] of TERMINAL_SIZES) {
  test(`fits a terminal of ${columns} by ${rows} and leaves three lines`, async () => {
    const opened = open(columns, rows);
    const { terminal } = opened;
    work(opened);
    await waitForText(terminal, '100 files on disk');
    const screen = terminal.screen();
    const lines = screen.filter((line) => line !== '');
    assert.match(lines[0] ?? '', /^ {2}svc · index · main +~.* · builtin$/u);
    assert.match(lines[1] ?? '', /^ {2}✓ scan +1,283 files {3}16\.1 MB/u);
    assert.match(lines[2] ?? '', /^ {2}● chunk +█+░+ {4}101\/1,283 +\d+ chunks\/s$/u);
    assert.match(lines[3] ?? '', /^ {2}● write +100 files on disk +1,000 chunks$/u);
    assert.match(lines[4] ?? '', /^ {4}now +memory\/日本\/99\\e\[2J\.md +eta 0:\d\d$/u);
    assert.match(lines[5] ?? '', /^ {4}skipped 1 {2}memory\/\\nold\.md/u);
    assert.match(lines[6] ?? '', /^ {2}q stop {3}\? help$/u);
    assert.is(lines.length, 7);
    assertFits(terminal);

    opened.finish(aSummary());
    await opened.ended;
    assert.equal(terminal.screen(), [
      '$ svc memory index',
      '✓ main  12 added · 3 changed · 1,268 unchanged',
      '  13,115 chunks from 16.1 MB in 0.6 s',
    ]);
    assert.is(terminal.buffer.scrolled, 0);
    assertRestored(terminal);
  });
}

for (const columns of [60, 80, 120]) {
  test(`shows embedding under its own bar at ${columns} columns`, async () => {
    const opened = open(columns, 24);
    const { terminal, emit } = opened;
    work(opened);
    const model = 'text-embedding-3-small';
    emit({ type: 'embed.started', provider: 'openai', model, passages: 13_115, known: 1920 });
    const finished = { type: 'request.finished', inputs: 128, tokens: 212_000 } as const;
    emit({ type: 'embed.provider', event: finished });
    const limited = { type: 'rate.limited', waitMs: 1000, perSecond: 1 } as const;
    emit({ type: 'embed.provider', event: limited });
    emit({ type: 'embed.stored', passages: 3072 });
    await waitForText(terminal, '429: slow');
    const screen = terminal.screen().filter((line) => line !== '');
    assert.match(screen[3] ?? '', /^ {2}✓ write/u);
    assert.match(screen[4] ?? '', /^ {2}● embed +█+░+ {3}3,072\/13,115 +openai(?: · 1 request)?$/u);
    assert.match(screen[5] ?? '', /^ {12}cache 1,920 hits · 212k tokens · 429: slow/u);
    assertFits(terminal);
    opened.finish(aSummary());
    await opened.ended;
    assertRestored(terminal);
  });
}

test('leaves nothing behind when frames are drawn before it learns of a new width', async () => {
  const opened = open(100, 24);
  const { terminal, emit } = opened;
  work(opened);
  await waitForText(terminal, '100 files on disk');
  for (const [columns, documents] of [
    [60, 120],
    [100, 140],
    [80, 160],
  ] as const) {
    terminal.resizeSilently(columns, 24);
    emit({ type: 'batch.committed', documents });
    terminal.resize(columns, 24);
    await waitForText(terminal, `${documents} files on disk`);
    await waitForWhole(terminal);
  }
  opened.finish(aSummary());
  await opened.ended;
  assertRestored(terminal);
});

test('leaves nothing behind when the terminal gets narrower and its lines break', async () => {
  const opened = open(100, 24);
  const { terminal } = opened;
  work(opened);
  await waitForText(terminal, '100 files on disk');
  for (const columns of [80, 60, 90]) {
    terminal.resize(columns, 24);
    await waitForWhole(terminal);
  }
  opened.finish(aSummary());
  await opened.ended;
  assert.is(terminal.screen().length, 3);
  assertRestored(terminal);
});

test('20 random resizes during work leave one complete frame', async () => {
  const aSize = fc.record({
    columns: fc.integer({ min: 40, max: 160 }),
    rows: fc.integer({ min: 12, max: 50 }),
    isNotified: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(aSize, { minLength: 20, maxLength: 20 }), async (sizes) => {
      const opened = open(100, 24);
      const { terminal } = opened;
      work(opened);
      await waitForText(terminal, '100 files on disk');
      for (const [at, { columns, rows, isNotified }] of sizes.entries()) {
        // The program is notified of a size before or after it draws.
        if (isNotified) terminal.resize(columns, rows);
        else terminal.resizeSilently(columns, rows);
        opened.emit({ type: 'batch.committed', documents: 101 + at });
        terminal.resize(columns, rows);
        await waitForText(terminal, `${101 + at} files on disk`);
      }
      terminal.resize(100, 24);
      await waitForWhole(terminal);
      opened.finish(aSummary());
      await opened.ended;
    }),
    { numRuns: 4 },
  );
});

test('never scrolls a terminal that is too low for it', async () => {
  const opened = open(60, 6);
  work(opened);
  await waitForText(opened.terminal, '? help');
  opened.terminal.type('?');
  await waitForText(opened.terminal, 'close this help');
  const before = opened.terminal.buffer.scrolled;
  opened.emit({ type: 'publish.started' });
  await waitForText(opened.terminal, 'q stop');
  assert.ok(opened.terminal.screen().length <= 6);
  assert.is(opened.terminal.buffer.scrolled, before);
  opened.finish(aSummary());
  await opened.ended;
});

test('the first Ctrl-C requests a stop, the second restores the terminal at once', async () => {
  const opened = open(80, 24);
  const { terminal, interrupts } = opened;
  work(opened);
  await waitForText(terminal, 'q stop');
  terminal.type(KEYS.ctrlC);
  await waitForText(terminal, 'stopping after the current transaction');
  assert.equal(interrupts, [1]);
  assert.is(terminal.rawMode(), true);
  terminal.type(KEYS.ctrlC);
  await waitFor('the second interrupt', () => interrupts.length === 2);
  assert.equal(interrupts, [1, 2]);
  assertRestored(terminal);
  opened.finish(aSummary({ outcome: 'stopped' }));
  await opened.ended;
});

test('? lists the keys and Esc closes the list', async () => {
  const opened = open(80, 24);
  const { terminal } = opened;
  work(opened);
  await waitForText(terminal, '? help');
  terminal.type('?');
  await waitForText(terminal, 'ctrl-c twice');
  terminal.type(KEYS.escape);
  await waitFor('no list', () => !terminal.screen().join().includes('ctrl-c twice'));
  opened.finish(aSummary());
  await opened.ended;
});

test('work that ends immediately shows its summary and no screen', async () => {
  const opened = open(80, 24);
  const before = opened.terminal.writes();
  opened.finish(aSummary({ outcome: 'unchanged', chunks: 0 }));
  await opened.ended;
  assert.is(opened.terminal.writes(), before + 1);
  assert.equal(opened.terminal.screen()[1], '✓ main  up to date · 1,268 files · 0.6 s');
});

test('restores the terminal when the work fails', async () => {
  const opened = open(80, 24);
  work(opened);
  await waitForText(opened.terminal, 'q stop');
  opened.fail(new Error('disk full'));
  const { message } = await errorOf(Error, opened.ended);
  assert.is(message, 'disk full');
  assertRestored(opened.terminal);
  assert.equal(opened.terminal.screen(), ['$ svc memory index']);
});

test.run();
