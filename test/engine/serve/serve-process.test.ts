import { existsSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { SvcError } from '../../../src/engine/errors/index.js';
import { createSecretMask } from '../../../src/engine/masking/index.js';
import { runningServeState, withInstanceLock } from '../../../src/engine/serve/instance-lock.js';

import { ServeProcess } from '../../../src/engine/serve/serve-process.js';
import { readStateFile, type ServeState, StateFile } from '../../../src/engine/serve/state-file.js';
import { type EngineContext, resolveStatePaths } from '../../../src/engine/support/context.js';
import { iso } from '../../../src/engine/support/time.js';
import { scriptedService } from '../../support/services.js';
import { recordsOf, serverHome } from '../../support/serving.js';
import { fillDisk, smallDisk } from '../../support/small-disk.js';
import { type TempFolder, tempFolder } from '../../support/temp-folder.js';
import { waitFor } from '../../support/wait.js';

function processIn(home: TempFolder, services = [scriptedService('one')]) {
  const serve = new ServeProcess({
    context: {
      env: {},
      cwd: home.path,
      homeDir: home.path,
      state: resolveStatePaths({ SVC_HOME: home.path }, home.path),
      clock: { now: Date.now },
      onSecret: () => undefined,
    },
    configFile: undefined,
    without: [],
    command: 'svc serve',
    pid: 4711,
    mask: createSecretMask(['hunter2-hunter2']),
    onLine: undefined,
    define: () => services.map(({ definition }) => definition),
  });
  return serve;
}

test('the state file describes the running instance, masked, and is removed with it', async () => {
  const home = serverHome();
  const service = scriptedService('one');
  service.startResults.push(new Error('the key hunter2-hunter2 was refused'));
  const serve = processIn(home, [service]);
  const ended = serve.run();
  await waitFor('the failure', () => readStateFile(home.path)?.services[0]?.state === 'waiting');
  const state = runningServeState(home.path);
  assert.equal([state?.pid, state?.configFile], [4711, home.at('svc.json')]);
  assert.is(state?.services[0]?.failure?.message, 'the key ******** was refused');
  assert.is(statSync(home.at('serve.json')).mode & 0o777, 0o600);
  serve.stop('SIGTERM');
  serve.stop('SIGINT');
  assert.is((await ended).reason, 'SIGTERM');
  assert.is(runningServeState(home.path), undefined);
  assert.not(existsSync(home.at('serve.json')));
});

test('leftovers of a killed instance do not count as running', async () => {
  const home = serverHome();
  home.write(
    'serve.json',
    JSON.stringify({ pid: 1, startedMs: 0, configFile: null, logFile: null, services: [] }),
  );
  assert.is(readStateFile(home.path)?.pid, 1);
  assert.is(runningServeState(home.path), undefined);
  await withInstanceLock(home.path, async () => {
    assert.is(runningServeState(home.path)?.pid, 1);
  });
  assert.is(runningServeState(home.path), undefined);
});

test('an invalid state file is ignored', () => {
  const home = tempFolder();
  for (const text of ['', '[]', 'null', '{"pid": "x"}', '{"pid": 1, "startedMs": 1}']) {
    home.write('serve.json', text);
    assert.is(readStateFile(home.path), undefined, text);
  }
});

test('an instance that is stopping is waited for; a running one is named', async () => {
  const home = tempFolder();
  let end: () => void = () => undefined;
  const first = withInstanceLock(
    home.path,
    () =>
      new Promise<void>((resolve) => {
        end = resolve;
      }),
  );
  home.write(
    'serve.json',
    JSON.stringify({ pid: 99, startedMs: 0, configFile: null, logFile: null, services: [] }),
  );
  let refusal: unknown;
  await withInstanceLock(home.path, async () => undefined).catch((error: unknown) => {
    refusal = error;
  });
  assert.ok(refusal instanceof SvcError);
  assert.equal([refusal.code, refusal.details], ['SERVE_RUNNING', { pid: 99 }]);
  const second = withInstanceLock(home.path, async () => 'mine');
  end();
  await first;
  assert.is(await second, 'mine');
});

test('a lock file with foreign content is not an instance', async () => {
  const home = tempFolder();
  home.write('serve.lock', 'not a database, but long enough to be looked at as one'.repeat(40));
  assert.is(await withInstanceLock(home.path, async () => 'mine'), 'mine');
});

test('services that do not stop in time are abandoned and named', async () => {
  const home = serverHome({ gateway: { port: 0, drainSeconds: 0 } });
  const [quick, stuck] = [scriptedService('quick'), scriptedService('stuck')];
  stuck.draining = new Promise(() => undefined);
  const serve = processIn(home, [quick, stuck]);
  const ended = serve.run();
  await waitFor('the start', () => stuck.calls.includes('start'));
  serve.stop('SIGTERM');
  const end = await ended;
  assert.is(end.drained, false);
  const told = recordsOf(home).find(({ level }) => level === 'warn');
  assert.ok(JSON.stringify(told?.fields['late']).includes('stuck'));
  assert.not(existsSync(home.at('serve.json')));
});

test('reloads are sequential, and none follows the request to stop', async () => {
  const home = serverHome();
  const service = scriptedService('one');
  const serve = processIn(home, [service]);
  const ended = serve.run();
  await waitFor('the start', () => service.calls.includes('start'));
  await Promise.all([serve.reload(), serve.reload()]);
  serve.stop('quit');
  await serve.reload();
  await ended;
  assert.equal(service.calls, ['start', 'reload', 'reload', 'drain', 'stop']);
});

test('warnings about the configuration are logged with their hints, also at a reload', async () => {
  const routes = { ci: { sessionKey: 'agent:main:ci', secret: '$CI_SECRET' } };
  const home = serverHome({ plugins: { entries: { webhooks: { config: { routes } } } } });
  const service = scriptedService('one');
  const serve = processIn(home, [service]);
  const ended = serve.run();
  await waitFor('the start', () => service.calls.includes('start'));
  await serve.reload();
  serve.stop('quit');
  await ended;
  const hints = recordsOf(home).flatMap(({ level, fields }) =>
    level === 'warn' ? [fields['hint']] : [],
  );
  assert.equal(hints, ['expected "env:CI_SECRET"', 'expected "env:CI_SECRET"']);
});

test('a configuration missing at a reload is not replaced with the defaults', async () => {
  const home = serverHome();
  const service = scriptedService('one');
  const serve = processIn(home, [service]);
  const ended = serve.run();
  await waitFor('the start', () => service.calls.includes('start'));
  rmSync(home.at('svc.json'));
  const fault = await serve.reload();
  assert.is(fault instanceof SvcError && fault.code, 'CONFIG_NOT_FOUND');
  const told = recordsOf(home).at(-1);
  assert.equal([told?.level, told?.fields['code']], ['error', 'CONFIG_NOT_FOUND']);
  serve.stop('quit');
  await ended;
  assert.equal(service.calls, ['start', 'drain', 'stop']);
});

test('a service that a reload starts during a stop is stopped too', async () => {
  const home = serverHome();
  const services = [scriptedService('one')];
  const serve = processIn(home, services);
  const ended = serve.run();
  await waitFor('the start', () => services[0]?.calls.includes('start') === true);
  const late = scriptedService('late');
  services.push(late);
  void serve.reload();
  // The reload has begun, and reads the configuration.
  await Promise.resolve();
  serve.stop('SIGTERM');
  const end = await ended;
  assert.equal([end.drained, late.calls], [true, ['start', 'drain', 'stop']]);
});

test('an unwritable state file is reported once and written when possible', () => {
  const folder = tempFolder();
  const at = folder.at('state');
  const told: string[] = [];
  const state: ServeState = {
    command: 'svc serve',
    pid: 1,
    startedMs: 0,
    configFile: null,
    logFile: null,
    services: [],
  };
  const file = new StateFile(
    at,
    () => state,
    (why) => told.push(why),
  );
  file.write();
  assert.is(told.length, 1);
  symlinkSync(tempFolder().path, at);
  file.write();
  assert.equal(readStateFile(at), state);
  rmSync(at);
  file.remove();
});

test('a failure to record activity is logged once, not printed', async () => {
  const home = serverHome();
  home.write('activity', 'a file where the folder should be');
  const printed: string[] = [];
  let record: EngineContext['onActivity'];
  const serve = new ServeProcess({
    context: {
      env: {},
      cwd: home.path,
      homeDir: home.path,
      state: resolveStatePaths({ SVC_HOME: home.path }, home.path),
      clock: { now: Date.now },
      onActivity: () => printed.push('activity'),
    },
    configFile: undefined,
    without: [],
    command: 'svc serve',
    pid: 4711,
    mask: createSecretMask(),
    onLine: undefined,
    define: ({ context }) => {
      record = context.onActivity;
      return [];
    },
  });
  const ended = serve.run();
  await waitFor('its start', () => record);
  for (let n = 0; n < 2; n++) record?.({ searches: 1 });
  serve.stop('quit');
  await ended;
  assert.equal(printed, []);
  const warnings = recordsOf(home).filter(({ message }) => message.startsWith('cannot write to '));
  assert.equal(
    warnings.map(({ level }) => level),
    ['warn'],
  );
});

const disk = smallDisk(1);
const onDisk = disk === undefined ? test.skip : test;

onDisk('on a full disk, the state of before does not pass for that of now', () => {
  const at = disk ?? '';
  const service = {
    name: 'flows',
    state: 'ready',
    since: iso(0),
    url: null,
    event: null,
    eventAt: null,
    restarts: 0,
    failure: null,
    retryAt: null,
  } as const;
  const before: ServeState = {
    command: 'svc serve',
    pid: 1,
    startedMs: 0,
    configFile: null,
    logFile: null,
    services: [service],
  };
  const failure = { code: 'FLOWS_PERSIST_FAILED', message: 'the disk is full', hint: null };
  const now: ServeState = { ...before, services: [{ ...service, failure }] };
  let state = before;
  const told: string[] = [];
  const file = new StateFile(
    at,
    () => state,
    (why) => told.push(why),
  );
  file.write();
  fillDisk(at);
  state = now;
  file.write();
  assert.equal([readStateFile(at), told], [now, []]);
  state = { ...now, services: Array.from({ length: 99 }, () => service) };
  file.write();
  assert.equal([readStateFile(at), told.length], [undefined, 1], 'not that of before');
  file.remove();
});

test.run();
