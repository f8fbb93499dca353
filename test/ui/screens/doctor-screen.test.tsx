import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type {
  CheckResult,
  DoctorEvent,
  DoctorReport,
  FindingPlace,
} from '../../../src/engine/doctor/check.js';
import {
  type DoctorScreenEnd,
  type DoctorScreenOptions,
  runDoctorScreen,
} from '../../../src/ui/screens/doctor/run.js';
import {
  type DoctorScreenState,
  findingItems,
  reduceDoctorScreen,
} from '../../../src/ui/screens/doctor/view.js';
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
import { fixOf, MISTYPED, READABLE, resultOf, SICK, STALE } from '../doctor/doctor-builders.js';

const NAMES = SICK.checks.map(({ check }) => check);
const style = createStyle(false);

interface Run {
  readonly checks: readonly string[];
  readonly signal: AbortSignal;
  readonly emit: (event: DoctorEvent) => void;
  readonly fail: (error: Error) => void;
}

interface OpenedScreen {
  readonly terminal: FakeTerminal;
  readonly ended: Promise<DoctorScreenEnd>;
  readonly runs: Run[];
  readonly applied: string[];
  readonly leave: AbortController;
}

function open(
  columns: number,
  rows: number,
  {
    failure,
    edit,
  }: { readonly failure?: string; readonly edit?: DoctorScreenOptions['edit'] } = {},
): OpenedScreen {
  const terminal = createTerminal(columns, rows);
  terminal.stdout.write('$ svc config doctor\n');
  const runs: Run[] = [];
  const applied: string[] = [];
  const leave = new AbortController();
  const ended = runDoctorScreen({
    stdin: terminal.stdin,
    stdout: terminal.stdout,
    style,
    homeDir: '/home/ada',
    names: NAMES,
    runChecks: (checks, signal, emit) =>
      new Promise<DoctorReport>((_, fail) => {
        runs.push({ checks, signal, emit, fail });
      }),
    apply: async (check, { title }) => {
      applied.push(title);
      return { check, title, ...(failure === undefined ? {} : { failure }) };
    },
    edit,
    signal: leave.signal,
  });
  return { terminal, ended, runs, applied, leave };
}

async function runOf({ runs }: OpenedScreen, at = 0): Promise<Run> {
  await waitFor('the run', () => runs.length > at);
  const run = runs[at];
  if (run === undefined) throw new Error('no run');
  return run;
}

function emitAll({ emit }: Run, results: readonly CheckResult[]): void {
  for (const { check } of results) emit({ type: 'check.started', check });
  for (const result of results) emit({ type: 'check.finished', result });
}

for (const [columns, rows] of TERMINAL_SIZES) {
  test(`fits a terminal of ${columns} by ${rows} and restores it`, async () => {
    const opened = open(columns, rows);
    const { terminal } = opened;
    const run = await runOf(opened);
    assert.equal(run.checks, NAMES);
    run.emit({ type: 'check.started', check: 'disk' });
    await waitForText(terminal, '● disk');
    await waitForText(terminal, '○ clock');
    emitAll(run, SICK.checks);
    await waitForText(terminal, '❯ ✗ unknown key "enabeld"');
    await waitForText(terminal, 'did you mean "enabled"?');
    const screen = terminal.screen();
    assertFits(terminal);
    if (rows >= 24) await waitForText(terminal, '3 ok · 0 warnings · 2 faults');
    assert.match(screen.at(-1) ?? '', /a apply {3}A all safe .* {3}q quit$/u);
    terminal.type('q');
    const end = await opened.ended;
    assert.equal(end, { placeToEdit: undefined, applied: [], results: SICK.checks });
    assertRestored(terminal, '$ svc config doctor');
  });
}

test('a previews a fix; a again applies it and repeats all checks', async () => {
  const opened = open(80, 24);
  const { terminal, applied, runs } = opened;
  emitAll(await runOf(opened), SICK.checks);
  await waitForText(terminal, '❯ ✗ unknown key');
  terminal.type('a');
  await waitForText(terminal, '+     "enabled": true,');
  await waitForText(terminal, 'apply: rename "enabeld" to "enabled"?  y/n');
  assert.equal([applied, runs.length], [[], 1]);
  terminal.type('a');
  await waitForText(terminal, 'fixed: rename "enabeld" to "enabled"');
  assert.equal(applied, ['rename "enabeld" to "enabled"']);
  const again = await runOf(opened, 1);
  assert.equal(again.checks, NAMES);
  await waitForText(terminal, '● configuration');
  emitAll(again, [resultOf('configuration'), ...SICK.checks.slice(1)]);
  await waitForText(terminal, '✓ configuration');
  await waitForText(terminal, '❯ ✗ the secret file');
  terminal.type('q');
  assert.is((await opened.ended).applied.length, 1);
  assertRestored(terminal, '$ svc config doctor');
});

test('a fix that only changes a file repeats only its own check', async () => {
  const opened = open(80, 24);
  const fix = { ...fixOf('set a mode'), changes: 'state' as const };
  const results = [resultOf('permissions', [{ ...READABLE, fix }]), ...SICK.checks.slice(3)];
  emitAll(await runOf(opened), results);
  await waitForText(opened.terminal, '❯ ✗ the secret file');
  // Checks that have not ended yet are repeated with it.
  opened.terminal.type('aa');
  const again = await runOf(opened, 1);
  assert.equal(again.checks, ['configuration', 'permissions', 'index']);
  opened.terminal.type('q');
  assert.is((await opened.ended).results, undefined);
});

test('A previews all safe fixes; A again applies them, Esc does not', async () => {
  const opened = open(80, 24);
  const { terminal, applied } = opened;
  emitAll(await runOf(opened), SICK.checks);
  await waitForText(terminal, 'A all safe');
  terminal.type('A');
  await waitForText(terminal, 'apply 2 safe fixes?  y/n');
  await waitForText(terminal, '• rename "enabeld"');
  terminal.type(KEYS.escape);
  await waitForText(terminal, '❯ ✗ unknown key');
  assert.equal(applied, []);
  terminal.type('A');
  await waitForText(terminal, 'apply 2 safe fixes?  y/n');
  terminal.type('A');
  await waitForText(terminal, '2 problems fixed');
  assert.equal(applied, [MISTYPED.fix?.title, READABLE.fix?.title]);
  terminal.type('q');
  await opened.ended;
});

test('a failed fix gives its reason', async () => {
  const opened = open(80, 24, { failure: 'the disk is full' });
  emitAll(await runOf(opened), SICK.checks);
  await waitForText(opened.terminal, '❯ ✗');
  opened.terminal.type('aa');
  await waitForText(opened.terminal, 'not fixed: rename "enabeld" to "enabled": the disk is full');
  opened.terminal.type('q');
  assert.is((await opened.ended).applied[0]?.failure, 'the disk is full');
});

test('arrows select, Enter opens and closes, e returns the location to open', async () => {
  const opened = open(80, 24);
  const { terminal } = opened;
  emitAll(await runOf(opened), SICK.checks);
  await waitForText(terminal, '❯ ✗ unknown key');
  terminal.type(KEYS.down);
  await waitForText(terminal, '❯ ✗ the secret file');
  terminal.type(KEYS.enter);
  await waitForText(terminal, 'esc back');
  terminal.type(KEYS.escape);
  await waitForText(terminal, '/ filter');
  terminal.type(KEYS.up);
  await waitForText(terminal, '❯ ✗ unknown key');
  terminal.type('e');
  assert.equal((await opened.ended).placeToEdit, MISTYPED.place);
  assertRestored(terminal, '$ svc config doctor');
});

test('e gives the terminal to the editor, and the screen comes back and checks again', async () => {
  let close: () => void = () => undefined;
  const edited: FindingPlace[] = [];
  const edit = (place: FindingPlace): Promise<void> => {
    edited.push(place);
    return new Promise((resolve) => {
      close = resolve;
    });
  };
  const opened = open(80, 24, { edit });
  const { terminal } = opened;
  emitAll(await runOf(opened), SICK.checks);
  await waitForText(terminal, '❯ ✗ unknown key');
  terminal.type('e');
  await waitFor('the editor', () => edited.length > 0);
  assert.equal(edited, [MISTYPED.place]);
  await waitForText(terminal, '$ svc config doctor');
  close();
  emitAll(await runOf(opened, 1), SICK.checks);
  await waitForText(terminal, '❯ ✗ unknown key');
  terminal.type('q');
  assert.is((await opened.ended).placeToEdit, undefined);
  assertRestored(terminal, '$ svc config doctor');
});

test('r checks again: the earlier run is aborted and its late events are ignored', async () => {
  const opened = open(80, 24);
  const first = await runOf(opened);
  emitAll(first, SICK.checks);
  await waitForText(opened.terminal, '✗ configuration');
  opened.terminal.type('r');
  const second = await runOf(opened, 1);
  assert.is(first.signal.aborted, true);
  await waitForText(opened.terminal, '● configuration');
  const results = NAMES.map((name) => resultOf(name));
  emitAll(second, results);
  await waitForText(opened.terminal, 'All is well.');
  first.emit({ type: 'check.finished', result: resultOf('configuration', [STALE]) });
  opened.terminal.type(KEYS.ctrlC);
  assert.equal((await opened.ended).results, results);
  assertRestored(opened.terminal, '$ svc config doctor');
});

test('quitting during the checks aborts them; so does an outside signal', async () => {
  for (const go of [
    ({ terminal }: OpenedScreen) => terminal.type('q'),
    ({ leave }: OpenedScreen) => leave.abort(),
  ]) {
    const opened = open(80, 24);
    const run = await runOf(opened);
    await waitForText(opened.terminal, '? help');
    go(opened);
    assert.is((await opened.ended).results, undefined);
    assert.is(run.signal.aborted, true);
    assertRestored(opened.terminal, '$ svc config doctor');
  }
});

test('a bug in the work restores the terminal and is thrown', async () => {
  const opened = open(80, 24);
  const run = await runOf(opened);
  await waitForText(opened.terminal, '? help');
  run.fail(new Error('a bug'));
  const { message } = await errorOf(Error, opened.ended);
  assert.is(message, 'a bug');
  assertRestored(opened.terminal, '$ svc config doctor');
});

test('the keys of the bar have different names', async () => {
  const opened = open(200, 24);
  const { terminal } = opened;
  emitAll(await runOf(opened), SICK.checks);
  await waitForText(terminal, 'e edit');
  const bar = terminal.screen().at(-1)?.trim().split(/ {3}/) ?? [];
  const names = bar.map((key) => key.replace(/^\S+ /, ''));
  assert.ok(names.includes('open'), names.join());
  assert.is(new Set(names).size, names.length, names.join());
  terminal.type('q');
  await opened.ended;
});

test('f lists faults, warnings or notes only, and / filters', async () => {
  const opened = open(80, 24);
  const { terminal } = opened;
  emitAll(await runOf(opened), SICK.checks);
  await waitForText(terminal, '❯ ✗ unknown key');
  terminal.type('f');
  await waitForText(terminal, 'faults · 3 ok');
  await waitFor('faults only', () => !terminal.screen().join().includes('3 changed files'));
  terminal.type('ff');
  await waitForText(terminal, '❯ · 3 changed files');
  terminal.type('f/secret\r');
  await waitForText(terminal, '❯ ✗ the secret file');
  terminal.type('q');
  await opened.ended;
});

test('the worst finding is selected until the person selects one, in whatever order checks end', async () => {
  const opened = open(80, 24);
  const run = await runOf(opened);
  const report = (severity: 'fault' | 'warning', check: string): void => {
    const result = resultOf(check, [{ code: check, severity, message: `${check} is broken` }]);
    run.emit({ type: 'check.finished', result });
  };
  report('warning', 'clock');
  await waitForText(opened.terminal, '❯ ! clock');
  report('fault', 'disk');
  await waitForText(opened.terminal, '❯ ✗ disk');
  opened.terminal.type('j');
  await waitForText(opened.terminal, '❯ ! clock');
  report('fault', 'index');
  await waitForText(opened.terminal, '✗ index is broken');
  await waitForText(opened.terminal, '❯ ! clock');
  opened.terminal.type('q');
  await opened.ended;
});

test('all safe fixes can be scrolled through before they are applied', async () => {
  const opened = open(80, 24);
  const { terminal } = opened;
  const fixes = Array.from({ length: 30 }, (_, at) => ({
    code: `f${at}`,
    severity: 'fault' as const,
    message: `finding ${at}`,
    fix: { ...fixOf(`fix number ${at}`, true), diff: [] },
  }));
  (await runOf(opened)).emit({ type: 'check.finished', result: resultOf('index', fixes) });
  await waitForText(terminal, '❯ ✗ finding 0');
  terminal.type('A');
  await waitForText(terminal, '• fix number 0');
  assert.not.match(terminal.screen().join('\n'), 'fix number 29');
  terminal.type('G');
  await waitForText(terminal, '• fix number 29');
  terminal.type('nq');
  assert.equal((await opened.ended).applied, []);
});

test('for events in any order, findings are sorted and unique', () => {
  const check = fc.constantFrom(...NAMES);
  const findings = fc.subarray([MISTYPED, READABLE, STALE]);
  const anEvent: fc.Arbitrary<DoctorEvent> = fc.oneof(
    fc.record({ type: fc.constant('check.started' as const), check }),
    fc.record({
      type: fc.constant('check.finished' as const),
      result: fc.tuple(check, findings).map(([name, some]) => resultOf(name, some)),
    }),
  );
  fc.assert(
    fc.property(fc.array(anEvent), fc.subarray(NAMES), (events, again) => {
      let state: DoctorScreenState = { names: NAMES, checks: {}, pending: new Set(again) };
      for (const event of events) state = reduceDoctorScreen(state, event);
      const shown = findingItems(state);
      const ranks = shown.map(({ finding }) =>
        ['fault', 'warning', 'note'].indexOf(finding.severity),
      );
      assert.equal(
        ranks,
        ranks.toSorted((a, b) => a - b),
      );
      assert.is(new Set(shown.map(({ id }) => id)).size, shown.length);
    }),
  );
});

test('fits any terminal, and the selected finding is visible', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 16, max: 200 }),
      fc.integer({ min: 2, max: 50 }),
      fc.constantFrom('', '?', KEYS.enter, 'A', 'G', 'f'),
      async (columns, rows, key) => {
        const opened = open(columns, rows);
        const { terminal } = opened;
        emitAll(await runOf(opened), SICK.checks);
        const sign = rows > 6 ? '❯ ' : '';
        await waitFor('a frame', () => terminal.screen().join().length > 0);
        await waitForText(terminal, sign);
        await typeAndDraw(terminal, key);
        assertFits(terminal);
        const lines = terminal.screen();
        opened.leave.abort();
        await opened.ended;
        const isList = key === '' || key === 'G';
        if (isList && rows > 6) assert.match(lines.join('\n'), '❯ ');
      },
    ),
    { numRuns: 30 },
  );
});

test.run();
