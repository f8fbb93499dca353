import { existsSync, rmSync } from 'node:fs';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { resolveConfig } from '../../../../src/engine/config/index.js';
import type { DreamTarget } from '../../../../src/engine/dreaming/dream-targets.js';
import { dreamWorkspace } from '../../../../src/engine/dreaming/dream-workspace.js';
import { DreamSchedule } from '../../../../src/engine/dreaming/schedule/dream-schedule.js';
import { crontabLine } from '../../../../src/engine/dreaming/schedule/systemd-timer.js';
import { runSweep } from '../../../../src/engine/dreaming/sweep/run-sweep.js';
import { SvcError } from '../../../../src/engine/errors/index.js';
import { NEVER } from '../../../../src/engine/support/async.js';
import { parseCron } from '../../../../src/engine/support/cron.js';
import { nextRuns } from '../../../../src/engine/support/cron-times.js';
import { contextOf } from '../../../support/context.js';
import { NOTES_ONLY } from '../../../support/dreams.js';
import { freePort } from '../../../support/free-port.js';
import { tempFolder } from '../../../support/temp-folder.js';

const HOUR = 3_600_000;
const { dreaming } = resolveConfig({}).plugins.entries['memory-core'].config;

function aSchedule(startIso: string) {
  const home = tempFolder();
  home.write('notes/memory/2026-11-18.md', '- The backup runs at 02:30.\n');
  let shared: DreamTarget['agentSources']['shared'];
  const target: DreamTarget = {
    workspace: dreamWorkspace(home.at('notes'), { stateDir: home.at('state') }),
    agents: [],
    agentSources: {
      ...NOTES_ONLY,
      get shared() {
        return shared;
      },
    },
    settings: dreaming,
    timeZone: 'Europe/Berlin',
  };
  let nowMs = Date.parse(startIso);
  const swept: string[] = [];
  const faults: unknown[] = [];
  const reports: string[] = [];
  const open = (onChecked?: () => void): DreamSchedule =>
    new DreamSchedule([target], {
      onChecked,
      clock: { now: () => nowMs },
      openNarrator: async () => undefined,
      onSwept: () => swept.push(new Date(nowMs).toISOString()),
      onIdle: () => reports.push('idle'),
      onFault: (_, error, isRetried) => {
        faults.push(error);
        reports.push(isRetried ? 'retried' : 'failed');
      },
    });
  return {
    home,
    swept,
    faults,
    reports,
    open,
    /** As `svc dream run` does. */
    sweep: () =>
      runSweep({ ...target, clock: { now: () => nowMs }, signal: NEVER, trigger: 'manual' }),
    pass: (hours: number) => {
      nowMs += hours * HOUR;
    },
    setShared: (value: typeof shared) => {
      shared = value;
    },
  };
}

test('nothing is due when a schedule is kept for the first time; then it runs each night, once', async () => {
  const { open, pass, swept, faults } = aSchedule('2026-11-20T12:00:00Z');
  const schedule = open();
  for (let hour = 0; hour < 48; hour++) {
    await schedule.check();
    pass(1);
  }
  assert.equal(faults, []);
  // Three in Berlin is two in UTC.
  assert.equal(swept, ['2026-11-21T02:00:00.000Z', '2026-11-22T02:00:00.000Z']);
});

test('each check reports, so that the next sweep is right after the clock was set back', async () => {
  const { open, pass } = aSchedule('2026-11-20T12:00:00Z');
  const shown: string[] = [];
  const schedule = open(() => shown.push(new Date(schedule.next()?.atMs ?? 0).toISOString()));
  await schedule.check();
  pass(-24 * 5);
  await schedule.check();
  assert.equal(shown, ['2026-11-21T02:00:00.000Z', '2026-11-16T02:00:00.000Z']);
});

test('missed nights run once on wake or restart', async () => {
  const { open, pass, swept } = aSchedule('2026-11-20T12:00:00Z');
  const first = open();
  await first.check();
  pass(24 * 5);
  await first.check();
  await first.check();
  await first.close({ hurry: false });
  pass(24 * 2);
  const second = open();
  await second.check();
  await second.check();
  assert.equal(swept, ['2026-11-25T12:00:00.000Z', '2026-11-27T12:00:00.000Z']);
});

test('a night that another process swept is not swept again', async () => {
  const { open, pass, swept } = aSchedule('2026-11-20T12:00:00Z');
  const [one, other] = [open(), open()];
  for (let hour = 0; hour < 48; hour++) {
    await one.check();
    await other.check();
    pass(1);
  }
  assert.equal(swept, ['2026-11-21T02:00:00.000Z', '2026-11-22T02:00:00.000Z']);
});

test('nothing is opened before a sweep can be due; then it runs, with whatever file is there', async () => {
  const { open, pass, swept, faults, home } = aSchedule('2026-11-20T12:00:00Z');
  const schedule = open();
  await schedule.check();
  rmSync(home.at('state'), { recursive: true });
  pass(13);
  await schedule.check();
  assert.not.ok(existsSync(home.at('state')));
  pass(1);
  await schedule.check();
  await open().check();
  assert.equal(swept, ['2026-11-21T02:00:00.000Z']);
  assert.equal(faults, []);
});

test('a failed sweep is reported, and not retried before its next time', async () => {
  const { open, pass, faults, home } = aSchedule('2026-11-20T12:00:00Z');
  const schedule = open();
  await schedule.check();
  rmSync(home.at('notes'), { recursive: true });
  pass(24);
  await schedule.check();
  await schedule.check();
  assert.is(faults.length, 1);
});

test('a check that fails is tried again, and reported as over once nothing is due', async () => {
  const { open, reports, home } = aSchedule('2026-11-20T12:00:00Z');
  const schedule = open();
  // A file is in the way of the folder of the store.
  home.write('state/dreaming', '');
  await schedule.check();
  await schedule.check();
  rmSync(home.at('state/dreaming'));
  await schedule.check();
  await schedule.check();
  assert.equal(reports, ['retried', 'retried', 'idle']);
});

test('a failed sweep stays reported until another process has run one', async () => {
  const { open, pass, reports, home, sweep } = aSchedule('2026-11-20T12:00:00Z');
  const schedule = open();
  await schedule.check();
  rmSync(home.at('notes'), { recursive: true });
  pass(24);
  await schedule.check();
  home.write('notes/memory/2026-11-18.md', '- The backup runs at 02:30.\n');
  await schedule.check();
  assert.equal(reports, ['idle', 'failed']);
  await sweep();
  await schedule.check();
  await schedule.check();
  assert.equal(reports, ['idle', 'failed', 'idle']);
});

test('a sweep that cannot reach the shared server is tried again until it can', async () => {
  const { open, pass, swept, faults, setShared, home } = aSchedule('2026-11-20T12:00:00Z');
  const schedule = open();
  await schedule.check();
  const config = resolveConfig({
    storage: { url: `postgres://svc@127.0.0.1:${await freePort()}/svc` },
  });
  setShared({
    places: [{ agent: 'main', origin: 'host-a', config }],
    context: contextOf(home.path),
  });
  pass(24);
  await schedule.check();
  await schedule.check();
  assert.equal(
    faults.map((fault) => fault instanceof SvcError && fault.code),
    ['STORAGE_UNREACHABLE', 'STORAGE_UNREACHABLE'],
  );
  setShared(undefined);
  await schedule.check();
  await schedule.check();
  assert.is(swept.length, 1);
});

test('a clock that was set back does not stop the schedule', async () => {
  const { open, pass, swept, faults } = aSchedule('2027-11-20T12:00:00Z');
  const running = open();
  await running.check();
  pass(-24 * 365);
  await running.check();
  pass(14);
  await running.check();
  pass(24 * 365);
  await open().check();
  pass(-24 * 365);
  const started = open();
  await started.check();
  pass(24);
  await started.check();
  assert.equal(faults, []);
  assert.equal(swept, [
    '2026-11-21T02:00:00.000Z',
    '2027-11-21T02:00:00.000Z',
    '2026-11-22T02:00:00.000Z',
  ]);
});

test('a closed schedule starts nothing', async () => {
  const { open, pass, swept } = aSchedule('2026-11-20T12:00:00Z');
  const schedule = open();
  await schedule.check();
  await schedule.close({ hurry: true });
  pass(24);
  await schedule.check();
  assert.equal(swept, []);
});

const inBerlin = (frequency: string, after: string, count: number) =>
  nextRuns(frequency, 'Europe/Berlin', Date.parse(after), count).map((ms) =>
    new Date(ms).toISOString(),
  );

test('a time that the clocks leave out fires right after the gap; one that comes twice fires once', () => {
  assert.equal(inBerlin('30 2 * * *', '2026-03-28T12:00:00Z', 2), [
    '2026-03-29T01:00:00.000Z',
    '2026-03-30T00:30:00.000Z',
  ]);
  assert.equal(inBerlin('30 2 * * *', '2026-10-24T12:00:00Z', 2), [
    '2026-10-25T00:30:00.000Z',
    '2026-10-26T01:30:00.000Z',
  ]);
});

const field = (low: number, high: number) =>
  fc.oneof(
    fc.constant('*'),
    fc.integer({ min: low, max: high }).map(String),
    fc
      .tuple(fc.integer({ min: low, max: high }), fc.integer({ min: low, max: high }))
      .map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`),
    fc.integer({ min: 2, max: Math.max(2, Math.floor(high / 2)) }).map((step) => `*/${step}`),
  );

test('the configuration reads a schedule as it is kept', () => {
  const crons = fc.tuple(field(0, 59), field(0, 23), field(1, 28), field(1, 12), field(0, 6));
  fc.assert(
    fc.property(crons, fc.integer({ min: 0, max: 400 }), (fields, days) => {
      const frequency = fields.join(' ');
      const after = Date.UTC(2026, 0, 1) + days * 24 * HOUR;
      const read = parseCron(frequency);
      assert.ok(read.ok, frequency);
      const { fields: wanted } = read;
      for (const ms of nextRuns(frequency, 'UTC', after, 3)) {
        const at = new Date(ms);
        assert.ok(wanted.minutes.has(at.getUTCMinutes()) && wanted.hours.has(at.getUTCHours()));
        assert.ok(wanted.months.has(at.getUTCMonth() + 1));
        const byDate = wanted.daysOfMonth.has(at.getUTCDate());
        const byWeekday = wanted.daysOfWeek.has(at.getUTCDay());
        const both = wanted.anyDayOfMonth || wanted.anyDayOfWeek;
        assert.ok(
          both ? byDate && byWeekday : byDate || byWeekday,
          `${frequency} ${at.toISOString()}`,
        );
      }
    }),
    { numRuns: 300 },
  );
});

test('a crontab line keeps its words whole', () => {
  assert.is(
    crontabLine('0 3 * * *', undefined, ['/usr/bin/node', '/opt/my svc/run.js', 'dream', 'run']),
    "0 3 * * * /usr/bin/node '/opt/my svc/run.js' dream run",
  );
  assert.is(
    crontabLine('0 3 * * *', 'Europe/Berlin', ['svc', "it's 100%"]),
    String.raw`# cronie (Fedora, RHEL, Arch) applies CRON_TZ; those of Debian and macOS ignore it and use the host's time zone
CRON_TZ=Europe/Berlin
0 3 * * * svc 'it'\''s 100\%'`,
  );
});

test.run();
