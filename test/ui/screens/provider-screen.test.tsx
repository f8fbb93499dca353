import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CHECKS } from '../../../src/engine/embeddings/diagnosis/check-names.js';
import type { DiagnosisEvent } from '../../../src/engine/embeddings/diagnosis/diagnose.js';
import type { CheckName, Diagnosis } from '../../../src/engine/embeddings/output-schemas.js';
import {
  INITIAL_PROVIDER_SCREEN,
  type ProviderScreenEnd,
  type ProviderScreenOptions,
  reduceProviderScreen,
  runProviderScreen,
} from '../../../src/ui/screens/provider/run.js';
import { createStyle } from '../../../src/ui/style.js';
import { errorOf } from '../../support/failure.js';
import {
  assertFits,
  assertRestored,
  createTerminal,
  type FakeTerminal,
  KEYS,
  TERMINAL_SIZES,
  typeAndDraw,
  waitForText,
} from '../../support/terminal.js';
import { waitFor } from '../../support/wait.js';
import { REFUSED } from '../provider/provider-builders.js';

interface Run {
  readonly signal: AbortSignal;
  readonly emit: (event: DiagnosisEvent) => void;
  readonly finish: (diagnosis: Diagnosis) => void;
  readonly fail: (error: Error) => void;
}

interface OpenedScreen {
  readonly terminal: FakeTerminal;
  readonly ended: Promise<ProviderScreenEnd>;
  readonly runs: Run[];
  readonly leave: AbortController;
}

function open(columns: number, rows: number, edit?: ProviderScreenOptions['edit']): OpenedScreen {
  const terminal = createTerminal(columns, rows);
  terminal.stdout.write('$ svc provider test\n');
  const runs: Run[] = [];
  const leave = new AbortController();
  const ended = runProviderScreen({
    stdin: terminal.stdin,
    stdout: terminal.stdout,
    style: createStyle(false),
    title: 'provider path of agent main',
    signal: leave.signal,
    edit,
    start: (signal, emit) =>
      new Promise((finish, fail) => {
        runs.push({ signal, emit, finish, fail });
      }),
  });
  return { terminal, ended, runs, leave };
}

function emitAll({ emit, finish }: Run, diagnosis: Diagnosis): void {
  for (const { check } of diagnosis.checks) emit({ type: 'check.started', check });
  for (const { check, ...outcome } of diagnosis.checks) {
    emit({ type: 'check.finished', check, outcome });
  }
  emit({ type: 'diagnosis.finished', diagnosis });
  finish(diagnosis);
}

async function firstRun({ runs }: OpenedScreen): Promise<Run> {
  await waitFor('the first run', () => runs.length > 0);
  const [run] = runs;
  if (run === undefined) throw new Error('no run');
  return run;
}

for (const [columns, rows] of TERMINAL_SIZES) {
  test(`fits a terminal of ${columns} by ${rows} and restores it`, async () => {
    const opened = open(columns, rows);
    const { terminal } = opened;
    const run = await firstRun(opened);
    run.emit({ type: 'check.started', check: 'selected' });
    await waitFor('a turning mark', () =>
      /[\u2800-\u28FF] selected/u.test(terminal.screen().join()),
    );
    await waitForText(terminal, '○ vectors');
    emitAll(run, REFUSED);
    await waitForText(terminal, 'broken: keyword search');
    const screen = terminal.screen();
    assertFits(terminal);
    // The first frame with the conclusion does not know yet whether the checks still fit.
    assert.match(
      screen.at(-1) ?? '',
      /^ {2}(?:↑↓ scroll {3})?r refresh {3}e open svc\.json:14 {3}\? help {3}q quit$/u,
    );
    terminal.type('q');
    const end = await opened.ended;
    assert.equal([end.diagnosis, end.placeToEdit], [REFUSED, undefined]);
    assertRestored(terminal, '$ svc provider test');
  });
}

test('r checks again: the earlier run is aborted and its late events are ignored', async () => {
  const opened = open(80, 24);
  const { terminal, runs } = opened;
  const first = await firstRun(opened);
  emitAll(first, REFUSED);
  await waitForText(terminal, '✗ embed');
  terminal.type('r');
  await waitFor('the second run', () => runs.length === 2);
  assert.is(first.signal.aborted, true);
  await waitForText(terminal, '○ embed');
  const second = runs[1];
  assert.ok(second);
  const well: Diagnosis = { ...REFUSED, ok: true, usable: 'primary' };
  emitAll(second, well);
  await waitForText(terminal, 'works: corp embeds');
  const late = { state: 'ok', text: 'too late' } as const;
  first.emit({ type: 'check.finished', check: 'embed', outcome: late });
  first.emit({ type: 'diagnosis.finished', diagnosis: REFUSED });
  terminal.type('?');
  await waitForText(terminal, 'test again');
  terminal.type(KEYS.escape);
  await waitForText(terminal, 'works: corp embeds');
  assert.not.match(terminal.screen().join('\n'), /too late/u);
  terminal.type(KEYS.ctrlC);
  assert.is((await opened.ended).diagnosis, well);
  assertRestored(terminal, '$ svc provider test');
});

test('e ends the screen with the setting to open, once there is one', async () => {
  const opened = open(80, 24);
  const run = await firstRun(opened);
  await waitForText(opened.terminal, '? help');
  // Nothing to open yet; the list of keys shows that the key was read.
  opened.terminal.type('e');
  opened.terminal.type('?');
  await waitForText(opened.terminal, 'test again');
  emitAll(run, REFUSED);
  await waitForText(opened.terminal, 'e open svc.json:14');
  opened.terminal.type('e');
  assert.equal((await opened.ended).placeToEdit, REFUSED.checks[0]?.location);
  assertRestored(opened.terminal, '$ svc provider test');
});

test('e gives the terminal to the editor and comes back; an editor that cannot run ends the screen', async () => {
  let close: (error?: Error) => void = () => undefined;
  let edited = 0;
  const opened = open(80, 24, (place) => {
    assert.equal(place, REFUSED.checks[0]?.location);
    edited += 1;
    return new Promise((resolve, reject) => {
      close = (error) => (error === undefined ? resolve() : reject(error));
    });
  });
  const { terminal } = opened;
  emitAll(await firstRun(opened), REFUSED);
  await waitForText(terminal, 'e open svc.json:14');
  terminal.type('e');
  await waitFor('the editor', () => edited === 1);
  await waitForText(terminal, '$ svc provider test');
  close();
  await waitForText(terminal, 'e open svc.json:14');
  terminal.type('e');
  await waitFor('the editor', () => edited === 2);
  const failure = errorOf(Error, opened.ended);
  close(new Error('cannot run the editor'));
  assert.match((await failure).message, /cannot run the editor/u);
  assertRestored(terminal, '$ svc provider test');
});

test('quitting during a run aborts it; so does an outside signal', async () => {
  for (const go of [
    ({ terminal }: OpenedScreen) => terminal.type('q'),
    ({ leave }: OpenedScreen) => leave.abort(),
  ]) {
    const opened = open(80, 24);
    const run = await firstRun(opened);
    await waitForText(opened.terminal, '? help');
    go(opened);
    assert.is((await opened.ended).diagnosis, undefined);
    assert.is(run.signal.aborted, true);
    assertRestored(opened.terminal, '$ svc provider test');
  }
});

test('a bug in the work restores the terminal and is thrown', async () => {
  const opened = open(80, 24);
  const run = await firstRun(opened);
  await waitForText(opened.terminal, '? help');
  run.fail(new Error('a bug'));
  const { message } = await errorOf(Error, opened.ended);
  assert.is(message, 'a bug');
  assertRestored(opened.terminal, '$ svc provider test');
});

test('? lists the available keys, Esc closes the list', async () => {
  const opened = open(80, 24);
  const { terminal } = opened;
  emitAll(await firstRun(opened), REFUSED);
  await waitForText(terminal, 'broken');
  terminal.type('?');
  await waitForText(terminal, 'open the setting in $EDITOR');
  terminal.type(KEYS.escape);
  await waitFor('no list', () => !terminal.screen().join().includes('test again'));
  terminal.type('q');
  await opened.ended;
});

test('outcomes are kept for any order of events', () => {
  const outcomes = REFUSED.checks.map(({ check: _, ...outcome }) => outcome);
  const check = fc.constantFrom<CheckName>(...CHECKS);
  const anEvent: fc.Arbitrary<DiagnosisEvent> = fc.oneof(
    fc.record({ type: fc.constant('check.started' as const), check }),
    fc.record({
      type: fc.constant('check.finished' as const),
      check,
      outcome: fc.constantFrom(...outcomes),
    }),
    fc.constant<DiagnosisEvent>({ type: 'diagnosis.finished', diagnosis: REFUSED }),
  );
  fc.assert(
    fc.property(fc.array(anEvent), (events) => {
      let state = INITIAL_PROVIDER_SCREEN;
      for (const event of events) {
        const before = state;
        state = reduceProviderScreen(state, event);
        for (const name of CHECKS) {
          if (before.checks[name] === undefined || before.checks[name] === 'running') continue;
          assert.is.not(state.checks[name], 'running');
        }
      }
    }),
  );
});

test('scrolls where not all checks fit; the conclusion and the keys stay visible', async () => {
  const opened = open(40, 15);
  const { terminal } = opened;
  emitAll(await firstRun(opened), REFUSED);
  await waitForText(terminal, 'broken: keyword search');
  await waitForText(terminal, 'lines 1–');
  assert.match(terminal.screen()[1] ?? '', 'selected');
  terminal.type('G');
  await waitFor('the end', () => /–(\d+) of \1\b/u.test(terminal.screen().join()));
  assert.not.match(terminal.screen()[1] ?? '', 'selected');
  terminal.type('q');
  await opened.ended;
});

test('fits any terminal', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 16, max: 200 }),
      fc.integer({ min: 2, max: 50 }),
      fc.constantFrom('', '?', 'G'),
      async (columns, rows, key) => {
        const opened = open(columns, rows);
        const { terminal } = opened;
        emitAll(await firstRun(opened), REFUSED);
        await waitFor('a frame', () => terminal.screen().join().length > 0);
        await typeAndDraw(terminal, key);
        assertFits(terminal);
        opened.leave.abort();
        await opened.ended;
      },
    ),
    { numRuns: 20 },
  );
});

test.run();
