import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  isInstanceRunning,
  runningServeState,
  withInstanceLock,
} from '../../../src/engine/serve/instance-lock.js';
import { iso } from '../../../src/engine/support/time.js';
import { tempFolder } from '../../support/temp-folder.js';

const test = suite('finding the running svc serve');

const SERVICE = {
  name: 'health',
  state: 'ready',
  since: iso(5),
  url: null,
  event: null,
  eventAt: null,
  restarts: 0,
  failure: null,
  retryAt: null,
};
const STATE = {
  command: 'svc serve',
  pid: process.pid,
  startedMs: 1,
  configFile: null,
  logFile: null,
  services: [SERVICE],
};

test('its state is read while it holds its lock, ignoring unknown fields', async () => {
  const folder = tempFolder();
  assert.is(runningServeState(folder.path), undefined);
  folder.write('serve.json', JSON.stringify({ ...STATE, more: 1 }));
  assert.is(runningServeState(folder.path), undefined, 'a killed one left it behind');
  const held = await withInstanceLock(folder.path, async () => runningServeState(folder.path));
  assert.equal(held, STATE);
  const { url: _, ...older } = SERVICE;
  folder.write('serve.json', JSON.stringify({ ...STATE, services: [older] }));
  const former = await withInstanceLock(folder.path, async () => runningServeState(folder.path));
  assert.equal(former, STATE, 'of a version that did not store addresses');
  assert.is(runningServeState(folder.path), undefined);
});

test('a truncated or invalid file is ignored', async () => {
  const folder = tempFolder();
  for (const text of [
    '',
    '{"pid": 1',
    '[]',
    'null',
    '{"pid": 1}',
    '{"pid": 0, "startedMs": 1, "configFile": null, "logFile": null, "services": []}',
  ]) {
    folder.write('serve.json', text);
    const held = await withInstanceLock(folder.path, async () => runningServeState(folder.path));
    assert.is(held, undefined, text);
    const isRunning = await withInstanceLock(folder.path, async () =>
      isInstanceRunning(folder.path),
    );
    assert.ok(isRunning, `a process runs that wrote ${text}`);
    assert.not(isInstanceRunning(folder.path), 'a killed one left it behind');
  }
});

test.run();
