import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { resolveConfig } from '../../../src/engine/config/index.js';
import { SvcError } from '../../../src/engine/errors/index.js';
import { createSecretMask } from '../../../src/engine/masking/index.js';
import { withInstanceLock } from '../../../src/engine/serve/instance-lock.js';
import { watchedWebhooks } from '../../../src/engine/serve/watched-webhooks.js';
import { listRoutes } from '../../../src/engine/serve/webhook-routes.js';
import { iso } from '../../../src/engine/support/time.js';
import { contextOf } from '../../support/context.js';
import { newDelivery, recordDeliveries } from '../../support/deliveries.js';
import { newFlow, testClock, testFlows } from '../../support/flows.js';
import { tempFolder } from '../../support/temp-folder.js';
import { waitFor } from '../../support/wait.js';

const test = suite('watching the listener of another process');

const AN_ANSWER = { atMs: 1, status: 200, code: null, action: 'create_flow' };

function route(id: string) {
  const secret = { source: 'env', provider: 'default', id: 'NOT_SET' } as const;
  return { path: `/plugins/webhooks/${id}`, sessionKey: 'agent:main:ci', secret };
}

function watched(more: object = {}) {
  const home = tempFolder();
  const clock = testClock();
  const context = contextOf(home.path, { clock, env: { NOT_SET: 'only in this shell' } });
  const off = { ...route('off'), enabled: false };
  const routes = { ci: route('ci'), lost: route('lost'), late: route('late'), off };
  const webhooks = { enabled: true, config: { routes } };
  const input = { ...more, plugins: { entries: { webhooks } } };
  const loaded = { file: undefined, input, resolved: resolveConfig(input), warnings: [] };
  const activity = (requests: number, rejected: number): void => {
    const ci = { requests, rejected, last: AN_ANSWER };
    home.write('webhooks.json', JSON.stringify({ routes: { ci } }));
    clock.nowMs += 1000;
  };
  const serves = (): void => {
    const skipped = { state: 'skipped', fault: { message: 'NOT_SET is not set', hint: 'set it' } };
    home.write(
      'webhooks.json',
      JSON.stringify({ routes: {}, problems: { lost: skipped, late: skipped, off: skipped } }),
    );
    const service = {
      name: 'webhooks',
      state: 'ready',
      since: iso(1),
      url: 'http://127.0.0.1:8787',
      event: 'listening on http://127.0.0.1:8787',
      eventAt: iso(1),
      restarts: 0,
      failure: null,
      retryAt: null,
    };
    home.write(
      'serve.json',
      JSON.stringify({
        command: 'svc serve',
        pid: 1,
        startedMs: 1,
        configFile: null,
        logFile: null,
        services: [service],
      }),
    );
    clock.nowMs += 1000;
  };
  const watching = watchedWebhooks(context, loaded, createSecretMask());
  const list = () => listRoutes(loaded, context, new AbortController().signal);
  return { home, clock, activity, serves, list, webhooks: watching };
}

test('without a listener no route is served, no secret read, and no flows database created', async () => {
  const { home, webhooks } = watched();
  const { routes, flows } = webhooks.snapshot();
  assert.equal(
    routes.map(({ id, state, secretSource }) => [id, state, secretSource]),
    [
      ['ci', 'off', 'env NOT_SET'],
      ['lost', 'off', 'env NOT_SET'],
      ['late', 'off', 'env NOT_SET'],
      ['off', 'off', 'env NOT_SET'],
    ],
  );
  assert.equal([flows, webhooks.serving()], [[], undefined]);
  await webhooks.close();
  assert.not(existsSync(home.at('flows.sqlite')));
});

test('routes are those recorded by the listening process, as long as it runs', async () => {
  const { home, clock, serves, webhooks } = watched();
  await withInstanceLock(home.path, async () => {
    serves();
    assert.equal(
      webhooks.snapshot().routes.map(({ id, state, fault }) => [id, state, fault?.hint]),
      [
        ['ci', 'served', undefined],
        ['lost', 'skipped', 'set it'],
        ['late', 'skipped', 'set it'],
        ['off', 'off', undefined],
      ],
    );
  });
  clock.nowMs += 1000;
  assert.is(webhooks.serving(), undefined);
  await webhooks.close();
});

test('routes that the listener skips are not listed as served where their secrets are known', async () => {
  const { home, serves, list, webhooks } = watched();
  const states = async () => (await list()).routes.map(({ state }) => state);
  assert.equal(await states(), ['served', 'served', 'served', 'off']);
  await withInstanceLock(home.path, async () => {
    serves();
    assert.equal(await states(), ['served', 'skipped', 'skipped', 'off']);
  });
  assert.equal(await states(), ['served', 'served', 'served', 'off']);
  await webhooks.close();
});

test('traffic is the growth of the totals over the last minute of watching', async () => {
  const { clock, activity, webhooks } = watched();
  const ci = () => webhooks.snapshot().routes[0]?.activity;
  activity(100, 2);
  assert.is(Math.max(...(ci()?.perSecond ?? [])), 0);
  assert.equal([ci()?.requests, ci()?.rejections], [100, [['total', 2]]]);
  activity(107, 2);
  activity(110, 2);
  assert.equal(ci()?.perSecond.slice(-2), [0, 10]);
  clock.nowMs += 5000;
  activity(111, 3);
  assert.equal(ci()?.perSecond.slice(-7), [10, 0, 0, 0, 0, 0, 1]);
  assert.is(ci()?.perSecond.length, 60);
  clock.nowMs += 60_000;
  assert.is(Math.max(...(ci()?.perSecond ?? [])), 0);
  await webhooks.close();
});

test('flows of the other process are listed, last changed first', async () => {
  const { home, clock, webhooks } = watched();
  const { flows, clock: own } = await testFlows({}, home.path);
  const first = await newFlow(flows);
  own.nowMs += 1000;
  const second = await newFlow(flows);
  const shows = (ids: readonly string[]) =>
    waitFor('the flows', () => {
      clock.nowMs += 1000;
      const shown = webhooks.snapshot().flows.map(({ flowId }) => flowId);
      return isDeepStrictEqual(shown, ids);
    });
  await shows([second, first]);
  own.nowMs += 1000;
  await flows.operator.cancelFlow(first);
  await shows([first, second]);
  await webhooks.close();
  await flows.close();
});

test('a delivery that the other process recorded is replayed here', async () => {
  const { home, webhooks } = watched();
  const body = '{"action":"create_flow","goal":"Build main"}';
  const [id = ''] = await recordDeliveries(home.path, [newDelivery({ body })]);
  const { original, answer } = await webhooks.deliveries.replay({ id, again: true });
  assert.equal([original.id, answer.status], [id, 200]);
  await waitFor('its flow', () => webhooks.snapshot().flows.length === 1);
  assert.is(webhooks.snapshot().flows[0]?.goal, 'Build main');
  await webhooks.close();
});

test('flows that cannot be read are a fault until they can be', async () => {
  const { home, clock, webhooks } = watched();
  home.write('flows.sqlite', 'not a database, but text of some length');
  const faultAfterASecond = (): unknown => {
    clock.nowMs += 1000;
    assert.is(webhooks.snapshot().routes.length, 4);
    return webhooks.flowsFault();
  };
  const fault = await waitFor('the fault', faultAfterASecond);
  assert.is(fault instanceof SvcError && fault.code, 'FLOWS_DAMAGED');
  rmSync(home.at('flows.sqlite'));
  await waitFor('no fault', () => faultAfterASecond() === undefined);
  await webhooks.close();
});

test('a PostgreSQL server that is silent delays neither routes nor the end', async () => {
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const connected = once(silent, 'connection');
  const address = silent.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const { webhooks } = watched({ storage: { url: `postgres://svc@127.0.0.1:${port}/svc` } });
  webhooks.snapshot();
  const [socket] = await connected;
  assert.is(webhooks.snapshot().routes.length, 4);
  await webhooks.close();
  socket.destroy();
  silent.close();
});

test.run();
