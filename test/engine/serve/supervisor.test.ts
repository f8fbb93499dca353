import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { resolveConfig } from '../../../src/engine/config/index.js';
import { SvcError } from '../../../src/engine/errors/index.js';
import { createSecretMask } from '../../../src/engine/masking/index.js';
import { isStoring, readinessOf } from '../../../src/engine/serve/readiness.js';
import type { ServeSetup } from '../../../src/engine/serve/service.js';
import { createSupervisor, SERVICE_BACKOFF } from '../../../src/engine/serve/supervisor.js';
import { resolveStatePaths } from '../../../src/engine/support/context.js';
import { backoffMs, iso } from '../../../src/engine/support/time.js';
import { type ScriptedService, scriptedService, testLog } from '../../support/services.js';
import { waitFor } from '../../support/wait.js';

const QUICK = { firstMs: 1, mostMs: 4, resetAfterMs: 60_000 };
/** Long enough that a rest never ends by itself in a test. */
const SLOW = { firstMs: 600_000, mostMs: 600_000, resetAfterMs: 60_000 };

const setup: ServeSetup = {
  context: {
    env: {},
    cwd: '/',
    homeDir: '/home/ada',
    state: resolveStatePaths({}, '/home/ada'),
    clock: { now: () => 0 },
    onSecret: () => undefined,
  },
  mask: createSecretMask(),
  loaded: { file: undefined, input: {}, resolved: resolveConfig({}), warnings: [] },
};

function supervise(services: readonly ScriptedService[], backoff = QUICK) {
  const { logger, lines } = testLog();
  const supervisor = createSupervisor({
    clock: { now: () => 1000 },
    backoff,
    log: logger,
    onChange: () => undefined,
  });
  supervisor.start(services.map(({ definition }) => definition));
  const one = (name: string) => supervisor.snapshots.find((service) => service.name === name);
  const enters = (name: string, state: string) =>
    waitFor(
      `${name} ${state}`,
      () => one(name)?.state === state,
      () => [supervisor.snapshots, lines],
    );
  return { supervisor, lines, one, enters };
}

test('a failed service is stopped and restarted without affecting the others', async () => {
  const [well, ill] = [scriptedService('well'), scriptedService('ill')];
  ill.startResults.push(new Error('no luck'), new Error('no luck'), 'ready');
  const { one, enters, lines, supervisor } = supervise([well, ill]);
  await enters('ill', 'ready');
  assert.equal([one('ill')?.restarts, one('ill')?.failure], [2, null]);
  ill.host().fail(new Error('broke down'));
  await waitFor('a third restart', () => one('ill')?.restarts === 3);
  await enters('ill', 'ready');
  assert.equal(ill.calls, ['start', 'start', 'start', 'stop', 'start']);
  assert.equal(well.calls, ['start']);
  assert.is(one('well')?.restarts, 0);
  assert.ok(lines.some((line) => line.includes('failed: broke down') && line.includes('"ill"')));
  await supervisor.end();
});

test('others start once the listeners have, or have failed to, and never after the end', async () => {
  const [listener, broken, other] = ['listener', 'broken', 'other'].map(scriptedService);
  assert.ok(listener !== undefined && broken !== undefined && other !== undefined);
  listener.startResults.push('slow');
  broken.startResults.push(new Error('the port is in use'));
  const listening = (service: ScriptedService): ScriptedService => ({
    ...service,
    definition: { ...service.definition, addresses: [] },
  });
  const { enters, supervisor } = supervise([other, listening(listener), listening(broken)], SLOW);
  await enters('broken', 'waiting');
  assert.equal(other.calls, []);
  listener.becomeReady();
  await enters('other', 'ready');
  await supervisor.end();
  const late = [scriptedService('listener'), scriptedService('other')] as const;
  late[0].startResults.push('slow');
  const ended = supervise([listening(late[0]), late[1]]);
  await ended.supervisor.end();
  assert.equal(late[1].calls, []);
});

test('the log has the code, the hint and the cause of a failure', async () => {
  const ill = scriptedService('ill');
  ill.startResults.push(new SvcError('LISTEN_FAILED', 'the port is in use', { hint: 'free it' }));
  const { enters, lines, supervisor } = supervise([ill]);
  await enters('ill', 'ready');
  ill.draining = Promise.reject(new SvcError('STORAGE_UNREACHABLE', 'it is away'));
  await supervisor.end();
  const [failed, undrained] = lines.map((line) => JSON.parse(line)).filter(({ code }) => code);
  const { code, hint, msg } = failed;
  assert.equal([code, hint, msg], ['LISTEN_FAILED', 'free it', 'failed: the port is in use']);
  assert.is(undrained.msg, 'could not finish its work: it is away');
});

test('while waiting to restart, its state has the cause and the time of the next attempt', async () => {
  const ill = scriptedService('ill');
  ill.startResults.push(new Error('no luck'));
  const { one, enters, supervisor } = supervise([ill], SLOW);
  await enters('ill', 'waiting');
  assert.is(one('ill')?.retryAt, iso(1000 + SLOW.firstMs));
  assert.equal(one('ill')?.failure, { code: null, message: 'no luck', hint: null });
  // The rest does not hold up the end.
  await supervisor.end();
  assert.equal([one('ill')?.state, ill.calls], ['stopped', ['start']]);
});

test('late reports of an ended run are ignored', async () => {
  const service = scriptedService('one');
  const { one, enters, supervisor } = supervise([service]);
  await enters('one', 'ready');
  const old = service.host();
  old.fail(new Error('over'));
  await waitFor('a restart', () => one('one')?.restarts === 1);
  await enters('one', 'ready');
  old.setLastEvent('from the grave');
  old.setProblem({ code: null, message: 'from the grave', hint: null });
  old.fail(new Error('from the grave'));
  assert.equal([one('one')?.event, one('one')?.failure], [null, null]);
  service.host().setLastEvent('alive');
  assert.is(one('one')?.event, 'alive');
  await supervisor.end();
});

test('problems are shown next to the state until they are over, even from before it was ready', async () => {
  const service = scriptedService('one');
  service.startResults.push('slow');
  const { one, enters, supervisor } = supervise([service]);
  await waitFor('the start', () => service.calls.length === 1);
  const trouble = { code: 'INDEX_DISK_FULL', message: 'full', hint: 'make room' };
  service.host().setProblem(trouble);
  service.becomeReady();
  await enters('one', 'ready');
  assert.equal(one('one')?.failure, trouble);
  service.host().setProblem(undefined);
  assert.is(one('one')?.failure, null);
  // The next run starts without the problems of the one before.
  service.host().setProblem(trouble);
  service.host().fail(new Error('over'));
  await waitFor('a restart', () => one('one')?.restarts === 1);
  await enters('one', 'ready');
  assert.is(one('one')?.failure, null);
  await supervisor.end();
});

test('a service rests longer after each failure, unless it ran for long enough', async () => {
  const restsOf = async (resetAfterMs: number) => {
    const ill = scriptedService('ill');
    ill.startResults.push(...['a', 'b', 'c', 'd'].map((name) => new Error(name)));
    const { enters, lines, supervisor } = supervise([ill], { ...QUICK, resetAfterMs });
    await enters('ill', 'ready');
    await supervisor.end();
    return lines.flatMap((line) => /"retryInMs":(\d+)/u.exec(line)?.[1] ?? []);
  };
  assert.equal(await restsOf(60_000), ['1', '2', '4', '4']);
  assert.equal(await restsOf(0), ['1', '1', '1', '1']);
});

test('a reload starts new services, stops removed ones, and lets the others reload or restart', async () => {
  const [stays, anew, goes, comes] = ['stays', 'anew', 'goes', 'comes'].map(scriptedService);
  assert.ok(stays && anew && goes && comes);
  anew.acceptsReload = false;
  const { supervisor, enters } = supervise([stays, anew, goes]);
  for (const name of ['stays', 'anew', 'goes']) await enters(name, 'ready');
  await supervisor.reload(
    [stays, anew, comes].map(({ definition }) => definition),
    setup,
  );
  await waitFor('the new start', () => anew.calls.length === 4);
  await enters('comes', 'ready');
  assert.equal(stays.calls, ['start', 'reload']);
  assert.equal(anew.calls, ['start', 'reload', 'stop', 'start']);
  assert.equal(goes.calls, ['start', 'drain', 'stop']);
  assert.equal(
    supervisor.snapshots.map(({ name }) => name),
    ['stays', 'anew', 'comes'],
  );
  await supervisor.end();
});

test('a reload is over once every service has the new configuration', async () => {
  const slow = scriptedService('slow');
  const { supervisor, enters } = supervise([slow]);
  await enters('slow', 'ready');
  let apply: () => void = () => undefined;
  slow.reloading = new Promise((resolve) => {
    apply = resolve;
  });
  let isOver = false;
  const reloaded = supervisor.reload([slow.definition], setup).then(() => {
    isOver = true;
  });
  await nextTurn();
  assert.equal([slow.calls, isOver], [['start', 'reload'], false]);
  apply();
  await reloaded;
  await supervisor.end();
});

test('a reload immediately restarts a service that is waiting after a failure', async () => {
  const ill = scriptedService('ill');
  ill.startResults.push(new Error('no luck'), 'ready');
  const { supervisor, enters } = supervise([ill], SLOW);
  await enters('ill', 'waiting');
  await supervisor.reload([ill.definition], setup);
  await enters('ill', 'ready');
  await supervisor.end();
});

test('all services are drained before any is stopped, and the first is stopped last', async () => {
  const order: string[] = [];
  const services = ['first', 'second'].map((name) => {
    const service = scriptedService(name);
    const { push } = service.calls;
    service.calls.push = (...calls) => {
      order.push(...calls.map((call) => `${call} ${name}`));
      return push.apply(service.calls, calls);
    };
    return service;
  });
  const { supervisor, enters } = supervise(services);
  await enters('second', 'ready');
  let release: () => void = () => undefined;
  const [first, second] = services;
  assert.ok(first && second);
  second.draining = new Promise((resolve) => {
    release = resolve;
  });
  const ended = supervisor.end();
  assert.is(readinessOf(supervisor.snapshots, 'first').status, 'draining');
  await waitFor('draining', () => order.length === 4);
  release();
  await ended;
  assert.equal(order.slice(2), ['drain first', 'drain second', 'stop second', 'stop first']);
});

test('readiness names the services that are not ready, except for the one that reports it', () => {
  const base = {
    since: iso(0),
    url: null,
    event: null,
    eventAt: null,
    restarts: 0,
    failure: null,
    retryAt: null,
  };
  const health = { ...base, name: 'health', state: 'starting' } as const;
  const well = { ...base, name: 'a', state: 'ready' } as const;
  const ill = { ...base, name: 'b', state: 'waiting' } as const;
  assert.equal(readinessOf([health, well], 'health'), { status: 'ready', waiting: [] });
  const failing = (code: string) =>
    readinessOf([health, { ...well, failure: { code, message: 'no', hint: null } }], 'health');
  assert.equal(failing('FLOWS_PERSIST_FAILED'), {
    status: 'failing',
    waiting: [
      {
        service: well.name,
        state: 'failing',
        code: 'FLOWS_PERSIST_FAILED',
        reason: 'The flow database cannot be written.',
      },
    ],
  });
  assert.is(failing('FLOWS_BUSY').status, 'failing');
  assert.is(failing('FLOWS_UNCERTAIN').status, 'failing');
  assert.is(failing('FILE_UNREADABLE').status, 'ready');
  assert.equal(readinessOf([health, well, ill], 'health'), {
    status: 'starting',
    waiting: [{ service: 'b', state: 'waiting' }],
  });
  const failure = { code: 'FLOWS_PERSIST_FAILED', message: 'no', hint: null };
  const stopping = readinessOf([health, { ...well, failure }, { ...ill, state: 'draining' }], '');
  assert.equal([stopping.status, isStoring(stopping)], ['draining', false]);
});

test('delays grow up to the maximum', () => {
  const { firstMs, mostMs } = SERVICE_BACKOFF;
  const rests = [1, 2, 3, 7, 50].map((failures) => backoffMs(failures, firstMs, mostMs));
  assert.equal(rests, [1000, 2000, 4000, 60_000, 60_000]);
  fc.assert(
    fc.property(fc.nat({ max: 5000 }), (failures) => {
      const ms = backoffMs(failures, firstMs, mostMs);
      assert.ok(ms >= SERVICE_BACKOFF.firstMs && ms <= SERVICE_BACKOFF.mostMs);
    }),
  );
});

test.run();
