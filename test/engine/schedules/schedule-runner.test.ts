import { mock } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { resolveConfig } from '../../../src/engine/config/index.js';
import type { Flows, ScheduleOutcome } from '../../../src/engine/flows/index.js';
import {
  configuredSchedules,
  listSchedules,
  runSchedule,
  scheduleRunner,
} from '../../../src/engine/schedules/index.js';
import { nextRuns } from '../../../src/engine/support/cron-times.js';
import { anyCron, ZONES } from '../../support/cron.js';
import { failureOf } from '../../support/failure.js';
import { type TestFlows, testFlows } from '../../support/flows.js';

const test = suite('running schedules');

test.after.each(() => mock.timers.reset());

const MINUTE = 60_000;
const SET = { goal: '{/schedule} {/scheduledAt} {/ranAt}' };

function configOf(cron: string, more: object = {}) {
  const schedule = { cron, sessionKey: 'agent:main:ops', set: SET, timezone: 'UTC', ...more };
  return resolveConfig({ schedules: { nightly: schedule } });
}

function schedulesOf(...settings: Parameters<typeof configOf>) {
  return configuredSchedules(configOf(...settings));
}

/** A runner of a process of its own, and what it was told. */
function runnerOf(flows: Flows, schedules: ReturnType<typeof schedulesOf>) {
  const outcomes: ScheduleOutcome['type'][] = [];
  const faults: unknown[] = [];
  const runner = scheduleRunner(schedules, {
    flows,
    onOutcome: (_, { type }) => outcomes.push(type),
    onFault: (_, error) => faults.push(error),
  });
  return { runner, outcomes, faults };
}

async function goalsOf(flows: Flows): Promise<readonly string[]> {
  const { entries } = await flows.operator.listFlows({ limit: 10_000 });
  return entries.map(({ flow }) => flow.goal).toReversed();
}

async function close(...all: readonly (Flows | TestFlows)[]): Promise<void> {
  for (const one of all) await ('flows' in one ? one.flows : one).close();
}

test('a flow knows its schedule, when it was due, and when it was created', async () => {
  const opened = await testFlows();
  const { flows, clock } = opened;
  clock.nowMs = Date.parse('2026-03-02T12:00:00Z');
  const { runner, outcomes } = runnerOf(flows, schedulesOf('0 3 * * *'));
  await runner.check();
  assert.is(runner.next()?.atMs, Date.parse('2026-03-03T03:00:00Z'));
  clock.nowMs = Date.parse('2026-03-05T03:00:07Z');
  await runner.check();
  await runner.check();
  assert.equal(outcomes, ['waits', 'ran']);
  assert.equal(await goalsOf(flows), ['nightly 2026-03-05T03:00:00.000Z 2026-03-05T03:00:07.000Z']);
  const [entry] = (await flows.operator.listFlows({ limit: 1 })).entries;
  assert.equal(
    [entry?.flow.ownerKey, entry?.flow.controllerId],
    ['agent:main:ops', 'schedules/nightly'],
  );
  await close(opened);
});

test('the list shows when each schedule ran, and its last flow, also once it was pruned', async () => {
  const opened = await testFlows();
  const { flows, clock } = opened;
  const config = configOf('0 * * * *', { timezone: undefined });
  const listed = async () => {
    const { state, timezone, lastRunAt, lastFlow } = (await listSchedules(config, flows))[0] ?? {};
    return [state, timezone, lastRunAt, lastFlow];
  };
  assert.equal(await listed(), ['waiting', null, null, null]);
  const { flowId } = await runSchedule('nightly', config, flows);
  const ranAt = new Date(clock.nowMs).toISOString();
  assert.equal(await listed(), ['waiting', null, ranAt, { flowId, status: 'queued' }]);
  await flows.operator.cancelFlow(flowId);
  clock.nowMs += MINUTE;
  await flows.operator.prune(0);
  assert.equal(await listed(), ['waiting', null, ranAt, { flowId, status: null }]);
  await close(opened);
});

test('of several schedules, the one that is due first is next', async () => {
  const opened = await testFlows();
  opened.clock.nowMs = Date.parse('2026-03-02T12:00:00Z');
  const at = (cron: string) => ({ cron, sessionKey: 's', set: SET, timezone: 'UTC' });
  const schedules = { late: at('0 9 * * *'), early: at('0 3 * * *'), last: at('0 10 * * *') };
  const config = resolveConfig({ schedules });
  const { runner } = runnerOf(opened.flows, configuredSchedules(config));
  assert.is(runner.next()?.schedule.id, 'early');
  await close(opened);
});

test('the end of a flow of a schedule with a route is not for the callback of the route', async () => {
  const targets = [
    { id: 'ops', command: ['true'] },
    { id: 'route', command: ['true'], routes: ['ci'] },
  ];
  const opened = await testFlows({ notify: { targets } });
  const { flows } = opened;
  const config = resolveConfig({
    schedules: { nightly: { cron: '0 3 * * *', route: 'ci', set: SET } },
    plugins: {
      entries: {
        webhooks: {
          config: { routes: { ci: { sessionKey: 'agent:main:ci', secret: 'env:CI_SECRET' } } },
        },
      },
    },
  });
  const flow = await runSchedule('nightly', config, flows);
  assert.equal([flow.ownerKey, flow.routeId], ['agent:main:ci', null]);
  await flows.operator.cancelFlow(flow.flowId);
  const dueFor = (target: string) => flows.outbox.takeDue({ target, limit: 9, holdMs: MINUTE });
  assert.is((await dueFor('ops')).length, 1);
  assert.equal(await dueFor('route'), []);
  await close(opened);
});

test('a goal without text is refused, and JSON that is nested too deeply, whichever of its two fields it is in', async () => {
  const opened = await testFlows();
  const incomplete = resolveConfig({
    schedules: { nightly: { cron: '0 3 * * *', sessionKey: 's', set: { goal: '' } } },
  });
  const fault = await failureOf(runSchedule('nightly', incomplete, opened.flows));
  assert.match(fault.message, 'schedule nightly makes no valid flow: goal');
  const nested = JSON.parse('['.repeat(100) + ']'.repeat(100));
  for (const field of ['stateJson', 'waitJson']) {
    const nightly = { cron: '0 3 * * *', sessionKey: 's', set: { goal: 'tick', [field]: nested } };
    const config = resolveConfig({ schedules: { nightly } });
    const { message, hint } = await failureOf(runSchedule('nightly', config, opened.flows));
    assert.match(message, 'stateJson or waitJson is nested too deeply');
    // Nothing is wrong with the configuration by itself.
    assert.is(hint, 'check set and task of the schedule');
  }
  await close(opened);
});

test('nothing is asked of the store while nothing can be due, and a disabled schedule never runs', async () => {
  const opened = await testFlows();
  const { flows, clock } = opened;
  const { runner, outcomes } = runnerOf(flows, schedulesOf('0 3 * * *'));
  for (let n = 0; n < 5; n++) await runner.check();
  assert.equal(outcomes, ['waits']);
  const off = runnerOf(flows, schedulesOf('* * * * *', { enabled: false }));
  clock.nowMs += 5 * MINUTE;
  await off.runner.check();
  assert.equal([off.outcomes, off.runner.next()], [[], undefined]);
  await close(opened);
});

/** Flows whose schedules fail while the disk is full. */
function failingWhile(flows: Flows, isFull: () => boolean) {
  const runDue: Flows['schedules']['runDue'] = (schedule) =>
    isFull() ? Promise.reject(new Error('no disk')) : flows.schedules.runDue(schedule);
  return { ...flows, schedules: { ...flows.schedules, runDue } };
}

test('a run that fails is made up with the next look', async () => {
  const opened = await testFlows();
  const { flows, clock } = opened;
  let broken = true;
  const failing = failingWhile(flows, () => broken);
  const faults: string[] = [];
  const runner = scheduleRunner(schedulesOf('* * * * *'), {
    flows: failing,
    onOutcome: () => undefined,
    onFault: (_, error) => faults.push(String(error)),
  });
  for (const schedule of schedulesOf('* * * * *')) await flows.schedules.runDue(schedule);
  clock.nowMs += MINUTE;
  await runner.check();
  await runner.check();
  broken = false;
  await runner.check();
  assert.equal(faults, ['Error: no disk', 'Error: no disk']);
  assert.is((await goalsOf(flows)).length, 1);
  await close(opened);
});

test('a run that fails is tried again within seconds, however far away the next one is', async () => {
  const opened = await testFlows();
  const failing = { ...failingWhile(opened.flows, () => true), version: async () => '' };
  const { runner, faults } = runnerOf(failing, schedulesOf('0 3 * * *'));
  mock.timers.enable({ apis: ['setTimeout'] });
  runner.start();
  await nextTurn();
  assert.is(faults.length, 1);
  mock.timers.tick(2000);
  await nextTurn();
  assert.is(faults.length, 2);
  await runner.close();
  await close(opened);
});

test('a schedule is turned off as soon as that can be stored', async () => {
  const opened = await testFlows();
  const { flows } = opened;
  for (const schedule of schedulesOf('0 3 * * *')) await flows.schedules.runDue(schedule);
  let broken = true;
  const turnOff: Flows['schedules']['turnOff'] = (id) =>
    broken ? Promise.reject(new Error('no server')) : flows.schedules.turnOff(id);
  const failing = { ...flows, schedules: { ...flows.schedules, turnOff } };
  const { runner } = runnerOf(failing, schedulesOf('0 3 * * *', { enabled: false }));
  const isOff = async () => (await flows.schedules.records())[0]?.rhythm === '';
  await runner.check();
  assert.is(await isOff(), false);
  broken = false;
  await runner.check();
  assert.is(await isOff(), true);
  await runner.close();
  await close(opened);
});

test('a run is made up although the time of the store stopped while the machine slept', async () => {
  const opened = await testFlows();
  const { flows, clock } = opened;
  let knownMs = flows.now();
  const sleeping: Flows = {
    ...flows,
    now: () => knownMs,
    version: () => {
      knownMs = flows.now();
      return flows.version();
    },
  };
  const { runner, outcomes } = runnerOf(sleeping, schedulesOf('0 3 * * *'));
  await runner.check();
  clock.nowMs += 24 * 60 * MINUTE;
  await runner.check();
  assert.equal(outcomes, ['waits', 'ran']);
  await close(opened);
});

test('a clock that was set ahead for a while does not stop a schedule', async () => {
  const opened = await testFlows();
  const { flows, clock } = opened;
  const { runner } = runnerOf(flows, schedulesOf('* * * * *'));
  await runner.check();
  clock.setAheadMs = 400 * 24 * 60 * MINUTE;
  await runner.check();
  clock.setAheadMs = 0;
  await runner.check();
  clock.nowMs += MINUTE;
  await runner.check();
  assert.is((await goalsOf(flows)).length, 2);
  await close(opened);
});

test('after the clock was set back, the next run is the first that was not run', async () => {
  const opened = await testFlows();
  const { flows, clock } = opened;
  const config = configOf('* * * * *');
  const { runner } = runnerOf(flows, configuredSchedules(config));
  clock.nowMs = Date.parse('2026-03-02T12:00:00Z');
  await runner.check();
  clock.nowMs += MINUTE;
  await runner.check();
  clock.nowMs -= 120 * MINUTE;
  await runner.check();
  const expected = '2026-03-02T12:02:00.000Z';
  assert.is(runner.next()?.atMs, Date.parse(expected));
  assert.is((await listSchedules(config, flows))[0]?.nextRunAt, expected);
  clock.nowMs = Date.parse(expected);
  await runner.check();
  assert.is((await goalsOf(flows)).length, 2);
  clock.nowMs -= 400 * 24 * 60 * MINUTE;
  const afterMs = clock.nowMs + MINUTE;
  assert.is((await listSchedules(config, flows))[0]?.nextRunAt, new Date(afterMs).toISOString());
  await close(opened);
});

/** Time passes, or one of the processes looks. */
const step = fc.oneof(
  fc.record({ minutes: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ minutes: fc.integer({ min: 30, max: 20_000 }) }),
  fc.record({ looks: fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 1, maxLength: 4 }) }),
  fc.record({ restarts: fc.integer({ min: 0, max: 2 }) }),
);

test('whatever the downtime and however many run it, a due time is run once at most, and one is made up', async () => {
  await fc.assert(
    fc.asyncProperty(
      anyCron,
      fc.constantFrom(...ZONES),
      fc.array(step, { minLength: 4, maxLength: 20 }),
      async (cron, timezone, steps) => {
        const opened = await testFlows();
        const others = [await testFlows({}, opened.home), await testFlows({}, opened.home)];
        const all = [opened, ...others];
        const schedules = schedulesOf(cron, { timezone });
        const runners = all.map(({ flows }) => runnerOf(flows, schedules));
        await runners[0]?.runner.check();
        const startMs = opened.clock.now();
        let lookedMs = startMs;
        const expected: number[] = [];
        for (const one of steps) {
          if ('minutes' in one) for (const { clock } of all) clock.nowMs += one.minutes * MINUTE;
          else if ('restarts' in one) {
            const flows = all[one.restarts]?.flows ?? opened.flows;
            runners[one.restarts] = runnerOf(flows, schedules);
          } else {
            await Promise.all(one.looks.map((at) => runners[at]?.runner.check()));
            const nowMs = opened.clock.now();
            const missed = schedules[0]?.lastDue(lookedMs, nowMs);
            if (missed !== undefined) expected.push(missed);
            lookedMs = nowMs;
          }
        }
        const ran = (await goalsOf(opened.flows)).map((goal) =>
          Date.parse(goal.split(' ')[1] ?? ''),
        );
        assert.equal(ran, expected);
        for (const atMs of ran) {
          assert.equal(nextRuns(cron, timezone, atMs - 1000, 1), [atMs], 'it was due');
        }
        assert.equal(
          runners.flatMap(({ faults }) => faults),
          [],
        );
        await close(...all);
      },
    ),
    { numRuns: 25 },
  );
});

test.run();
