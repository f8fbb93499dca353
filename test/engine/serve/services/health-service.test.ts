import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { contextOf } from '../../../support/context.js';
import { startServing } from '../../../support/services.js';
import {
  recordsOf,
  serverHome,
  urlOf,
  whenLogged,
  whenReady,
  writeConfig,
} from '../../../support/serving.js';
import { waitFor } from '../../../support/wait.js';

const test = suite('the health listener under svc serve');

const SCHEDULED = {
  schedules: { daily: { cron: '0 0 1 1 *', sessionKey: 's', set: { goal: 'happy new year' } } },
};

test('it has metrics of flows without webhooks, also after reloads, and none without flows', async () => {
  const home = serverHome(SCHEDULED);
  const { serve, ended } = startServing(contextOf(home.path), ['memory', 'dreaming', 'refresh']);
  const url = await whenReady(home);
  const metrics = async (): Promise<Response> => fetch(`${urlOf(home)}/metrics`);
  const first = await metrics();
  assert.match(first.headers.get('content-type') ?? '', /^text\/plain; version=/);
  const text = await first.text();
  assert.match(text, /\nsvc_flow_store_up 1\n/);
  assert.match(text, /\nsvc_tasks_paused\{runtime="acp"\} 0\n/);
  assert.match(text, /\nprocess_resident_memory_bytes \d/);
  assert.not.match(text, 'svc_webhook');
  const restarted = async (config: object): Promise<void> => {
    const lines = recordsOf(home).length;
    writeConfig(home, config);
    await serve.reload();
    await whenLogged(home, 'listening on', lines);
    await whenReady(home);
  };

  // The flows service restarts, and this listener does not.
  writeConfig(home, { ...SCHEDULED, flows: { retentionDays: 3 } });
  await serve.reload();
  await waitFor('the store', async () =>
    /\nsvc_flow_store_up 1\n/.test(await (await metrics()).text()),
  );
  assert.is(urlOf(home), url);

  await restarted({});
  assert.is((await metrics()).status, 404);
  await restarted(SCHEDULED);
  assert.match(await (await metrics()).text(), /\nsvc_flow_store_up 1\n/);
  serve.stop('quit');
  assert.is((await ended).drained, true);
});

test('without the flows service there are no metrics', async () => {
  const home = serverHome(SCHEDULED);
  const { serve, ended } = startServing(contextOf(home.path), [
    'memory',
    'dreaming',
    'refresh',
    'flows',
    'schedules',
  ]);
  const url = await whenReady(home);
  assert.is((await fetch(`${url}/metrics`)).status, 404);
  serve.stop('quit');
  await ended;
});

test.run();
