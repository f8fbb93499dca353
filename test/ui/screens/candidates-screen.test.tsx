import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type CandidatesActions,
  runCandidatesScreen,
} from '../../../src/ui/screens/candidates/run.js';
import type {
  CandidateWithGates,
  UndoableDecision,
} from '../../../src/ui/screens/candidates/view.js';
import { createStyle } from '../../../src/ui/style.js';
import { errorOf } from '../../support/failure.js';
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
import { aCandidate, PASSAGE, WEAK } from './candidates-builders.js';

const style = createStyle(false);
const READY = aCandidate();

function open(columns: number, rows: number, over: Partial<CandidatesActions> = {}) {
  const terminal = createTerminal(columns, rows);
  terminal.stdout.write('$ svc dream candidates\n');
  const orders: string[] = [];
  let shown: readonly CandidateWithGates[] = [READY, WEAK];
  const without = (key: string): void => {
    shown = shown.filter((candidate) => candidate.key !== key);
  };
  const actions: CandidatesActions = {
    load: async () => shown,
    passage: async (key) => ({ ...PASSAGE, claim: key === READY.key ? PASSAGE.claim : undefined }),
    promote: async (key) => {
      orders.push(`promote ${key.slice(0, 4)}`);
      without(key);
      return { decision: 'promote', sweep: 'S1' };
    },
    reject: async (key) => {
      orders.push(`reject ${key.slice(0, 4)}`);
      without(key);
    },
    undo: async ({ kind, key }) => {
      orders.push(`undo ${kind} ${key.slice(0, 4)}`);
      shown = [READY, WEAK].filter((one) => one.key === key || shown.includes(one));
      return { isUndone: true, words: `undone: ${kind}` };
    },
    explain: (error) => (error instanceof Error ? error.message : String(error)),
    ...over,
  };
  const leave = new AbortController();
  const { stdin, stdout } = terminal;
  const ended = runCandidatesScreen({
    ...{ stdin, stdout, style, title: 'main', actions },
    signal: leave.signal,
  });
  return { terminal, orders, ended, leave };
}

for (const [columns, rows] of TERMINAL_SIZES) {
  test(`fits a terminal of ${columns} by ${rows} and restores it`, async () => {
    const { terminal, ended } = open(columns, rows);
    await waitForText(terminal, '❯ ✓ 0.86  ▆▇█▅▁▃   The nightly');
    await waitForText(terminal, '  · 0.57');
    await waitForText(terminal, '2 candidates · 1 ready');
    await waitForText(terminal, '    5  - The nightly backup');
    const screen = terminal.screen();
    assertFits(terminal);
    assert.match(screen.at(-1) ?? '', /p promote {3}x reject .*q quit$/u);
    terminal.type('q');
    assert.equal(await ended, []);
    assertRestored(terminal, '$ svc dream candidates');
  });
}

test('p promotes, x rejects, and u undoes the last decision, then the one before, each once', async () => {
  const { terminal, orders, ended } = open(80, 24);
  await waitForText(terminal, '❯ ✓ 0.86');
  terminal.type('p');
  await waitForText(terminal, 'promoted: The nightly backup');
  await waitForText(terminal, '❯ · 0.57');
  terminal.type('x');
  await waitForText(terminal, 'rejected: Mira');
  await waitForText(terminal, 'No candidates left.');
  terminal.type('u');
  await waitForText(terminal, 'undone: rejected');
  await waitForText(terminal, '❯ · 0.57');
  terminal.type('u');
  await waitForText(terminal, 'undone: promoted');
  await waitForText(terminal, '❯ ✓ 0.86');
  terminal.type('u');
  await waitForText(terminal, 'nothing to undo');
  assert.equal(orders, ['promote 28d9', 'reject 011c', 'undo rejected 011c', 'undo promoted 28d9']);
  terminal.type(KEYS.ctrlC);
  assert.equal(await ended, []);
  assertRestored(terminal, '$ svc dream candidates');
});

test('the result contains the decisions that were not undone, also those that could not be', async () => {
  const words = 'not undone: the entry was edited';
  const { terminal, ended } = open(80, 24, { undo: async () => ({ isUndone: false, words }) });
  await waitForText(terminal, '❯ ✓ 0.86');
  terminal.type('p');
  await waitForText(terminal, 'promoted: The nightly');
  terminal.type('u');
  await waitForText(terminal, words);
  terminal.type('u');
  await waitForText(terminal, 'nothing to undo');
  terminal.type('x');
  await waitForText(terminal, 'rejected: Mira');
  terminal.type('q');
  const decided: readonly UndoableDecision[] = [
    { kind: 'promoted', key: READY.key, sweep: 'S1' },
    { kind: 'rejected', key: WEAK.key },
  ];
  assert.equal(await ended, decided);
});

test('a choice without candidates does not claim that there are none', async () => {
  const { terminal, ended } = open(80, 24, { load: async () => [WEAK] });
  await waitForText(terminal, '❯ · 0.57');
  terminal.type('f');
  await waitForText(terminal, 'nothing under "ready"');
  terminal.type('q');
  await ended;
});

test('w explains, failed gates first; w again shows the passage', async () => {
  const { terminal, ended } = open(80, 24);
  await waitForText(terminal, '❯ ✓ 0.86');
  terminal.type('j');
  terminal.type('w');
  await waitForText(terminal, '✗ enough signals: 1 signal, needs 3');
  await waitForText(terminal, 'relevance     ▇▇▇▇▇▇▇▇▇  0.90');
  const screen = terminal.screen().join('\n');
  assert.ok(screen.indexOf('✗ signals') < screen.indexOf('✓ a clean'), screen);
  terminal.type('w');
  await waitForText(terminal, '    6  - Mira owns');
  terminal.type('q');
  await ended;
});

test('the recorded text is shown when a claim is no longer in its note', async () => {
  const { terminal, ended } = open(80, 24, {
    passage: async () => ({ ...PASSAGE, state: 'missing', lines: [], claim: undefined }),
  });
  await waitForText(terminal, 'no longer in its note; it was:');
  terminal.type('q');
  await ended;
});

test('a failed write decides nothing and is reported', async () => {
  const skipped = open(80, 24, {
    promote: async () => ({ decision: 'skip', why: 'changed', sweep: null }),
    reject: async () => {
      throw new Error('the disk is full');
    },
  });
  await waitForText(skipped.terminal, '❯ ✓ 0.86');
  skipped.terminal.type('p');
  await waitForText(skipped.terminal, 'skipped: changed in its note');
  skipped.terminal.type('x');
  await waitForText(skipped.terminal, 'the disk is full');
  await waitForText(skipped.terminal, '2 candidates');
  skipped.terminal.type('q');
  assert.equal(await skipped.ended, []);
});

test('quitting waits for a write in progress, and a second decision does not overlap it', async () => {
  let write: () => void = () => undefined;
  const promoted: string[] = [];
  const { terminal, ended, leave } = open(80, 24, {
    promote: (key) => {
      promoted.push(key);
      return new Promise((resolve) => {
        write = () => resolve({ decision: 'promote', sweep: 'S1' });
      });
    },
  });
  await waitForText(terminal, '❯ ✓ 0.86');
  terminal.type('pp');
  await waitForText(terminal, 'promote …');
  leave.abort();
  // A screen that does not wait for the write has ended after this turn.
  await new Promise((resolve) => setImmediate(resolve));
  write();
  assert.is((await ended).length, 1);
  assert.is(promoted.length, 1);
  assertRestored(terminal, '$ svc dream candidates');
});

test('a failure to read ends the screen, and so does an outside signal', async () => {
  const failing = open(80, 24, {
    load: async () => {
      throw new Error('no store');
    },
  });
  const { message } = await errorOf(Error, failing.ended);
  assert.is(message, 'no store');
  assertRestored(failing.terminal, '$ svc dream candidates');
  const { terminal, ended, leave } = open(80, 24);
  await waitForText(terminal, '❯ ✓');
  leave.abort();
  await ended;
  assertRestored(terminal, '$ svc dream candidates');
});

test('f lists only those that the next sweep promotes, / filters, and ? lists the keys', async () => {
  const { terminal, ended } = open(80, 24);
  await waitForText(terminal, '❯ ✓ 0.86');
  terminal.type('/mira\r');
  await waitForText(terminal, '❯ · 0.57');
  terminal.type(KEYS.escape);
  await waitForText(terminal, '  · 0.57');
  terminal.type('f');
  await waitForText(terminal, 'ready · 1 candidate · 1 ready');
  terminal.type('?');
  await waitForText(terminal, 'undo your last decision');
  terminal.type(KEYS.escape);
  await waitForText(terminal, '❯ ✓ 0.86');
  terminal.type('q');
  await ended;
});

test('fits any terminal, whatever the notes contain', async () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 60 });
  const candidate = fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd', 'e'), text, path: text });
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(candidate, { selector: ({ key }) => key }),
      fc.integer({ min: 16, max: 220 }),
      fc.integer({ min: 2, max: 60 }),
      fc.constantFrom('', '?', 'w', KEYS.enter, 'G', 'f'),
      async (candidates, columns, rows, key) => {
        const load = async () => candidates.map(aCandidate);
        const { terminal, ended, leave } = open(columns, rows, { load });
        await waitFor('a frame', () => terminal.buffer.alternate && terminal.screen().length > 0);
        await typeAndDraw(terminal, key);
        assertFits(terminal);
        leave.abort();
        await ended;
      },
    ),
    { numRuns: 30 },
  );
});

test.run();
