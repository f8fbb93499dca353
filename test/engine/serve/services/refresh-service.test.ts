import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { loadConfig } from '../../../../src/engine/config/index.js';
import { createSecretMask } from '../../../../src/engine/masking/index.js';
import type { ServeSetup, Service } from '../../../../src/engine/serve/service.js';
import { refreshDefinitions } from '../../../../src/engine/serve/services/refresh-service.js';
import { contextOf } from '../../../support/context.js';
import { isRunning } from '../../../support/processes.js';
import { testLog } from '../../../support/services.js';
import { folderOf } from '../../../support/temp-folder.js';
import { waitFor } from '../../../support/wait.js';

const test = suite('refreshing external indexes when the process starts');

const AGENTS = {
  list: [
    { id: 'main', default: true },
    { id: 'ops' },
    { id: 'off', memorySearch: { enabled: false } },
  ],
};

/** A home with this memory configured, and a stand-in for svc itself. */
async function world(memory: object, script: string) {
  const home = folderOf({ 'svc.json': JSON.stringify({ agents: AGENTS, memory }) });
  const program = home.write('svc', `#!/bin/sh\n${script}\n`);
  chmodSync(program, 0o755);
  const context = contextOf(home.path, { env: { PATH: process.env['PATH'], SVC_TOKEN: 'kept' } });
  const setupOf = async (): Promise<ServeSetup> => {
    const loaded = await loadConfig(context, {});
    return { context, loaded, mask: createSecretMask(), program: [program, 'run.js'] };
  };
  return { home, setupOf, setup: await setupOf() };
}

/** Starts the first service, and what it tells. */
async function started(setup: ServeSetup) {
  const said: string[] = [];
  const [first] = refreshDefinitions(setup);
  assert.ok(first !== undefined);
  const service: Service = await first.start({
    log: testLog().logger,
    setLastEvent: (event) => said.push(event),
    setProblem: (failure) => said.push(`trouble: ${failure?.hint}`),
    signal: new AbortController().signal,
    fail: (error) => said.push(`failed: ${String(error)}`),
  });
  return { service, said };
}

test('each agent that searches has one, and none exists without anything to refresh', async () => {
  const { setup } = await world({ backend: 'ext' }, 'exit 0');
  assert.equal(
    refreshDefinitions(setup).map(({ name }) => name),
    ['refresh:main', 'refresh:ops'],
  );
  const names = async (memory: object): Promise<number> =>
    refreshDefinitions((await world(memory, 'exit 0')).setup).length;
  assert.is(await names({ backend: 'builtin' }), 0);
  assert.is(await names({ backend: 'ext', ext: { update: { onBoot: false } } }), 0);
  assert.equal(refreshDefinitions({ ...setup, program: undefined }), []);
});

test('svc itself runs once, with the same configuration', async () => {
  const { home, setup } = await world(
    { backend: 'ext' },
    'echo "$@" > called; echo $SVC_TOKEN >> called',
  );
  const { service, said } = await started(setup);
  await waitFor('the end', () => said.includes('refreshed'));
  const config = home.at('svc.json');
  assert.is(
    readFileSync(home.at('called'), 'utf8'),
    `run.js memory index --agent main --quiet --config ${config}\nkept\n`,
  );
  assert.equal(said, ['refreshing', 'refreshed']);
  const began = performance.now();
  await service.drain();
  await service.stop();
  // Whoever has ended is not waited for.
  assert.ok(performance.now() - began < 3000);
});

test('a configuration that was found is not named, which would trust it', async () => {
  const { home, setup } = await world({ backend: 'ext' }, 'echo "$@" > called');
  const found = { ...setup, loaded: { ...setup.loaded, ignoredKeys: [] } };
  const { service, said } = await started(found);
  await waitFor('the end', () => said.includes('refreshed'));
  assert.is(readFileSync(home.at('called'), 'utf8'), 'run.js memory index --agent main --quiet\n');
  await service.stop();
});

test('a failed refresh is reported with a hint, and a reload tries again', async () => {
  const { setup, setupOf } = await world({ backend: 'ext' }, 'exit 1');
  const { service, said } = await started(setup);
  await waitFor('the trouble', () => said.length === 3);
  assert.equal(said, [
    'refreshing',
    'not refreshed',
    'trouble: run "svc memory index --agent main"',
  ]);
  assert.is(await service.reload(await setupOf()), false);
  await service.stop();
});

test('a refresh ends with the process', async () => {
  const { home, setup } = await world({ backend: 'ext' }, 'echo $$ > pid; exec sleep 600');
  const { service, said } = await started(setup);
  await waitFor(
    'its start',
    () => existsSync(home.at('pid')) && readFileSync(home.at('pid'), 'utf8') !== '',
  );
  await service.drain();
  assert.not.ok(isRunning(Number(readFileSync(home.at('pid'), 'utf8'))));
  assert.equal(said, ['refreshing']);
});

test('only changed memory settings restart it', async () => {
  const { home, setup, setupOf } = await world({ backend: 'ext' }, 'exit 0');
  const { service } = await started(setup);
  assert.is(await service.reload(await setupOf()), true);
  const memory = { backend: 'ext', ext: { paths: [{ name: 'wiki', path: '~/wiki' }] } };
  home.write('svc.json', JSON.stringify({ agents: AGENTS, memory }));
  assert.is(await service.reload(await setupOf()), false);
  await service.stop();
});

test.run();
