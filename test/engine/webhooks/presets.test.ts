import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { checkConfigText } from '../../../src/engine/config/check.js';
import { NEVER } from '../../../src/engine/support/async.js';
import type { Preset } from '../../../src/engine/webhooks/presets/preset.js';
import { PRESETS, triggerPreset } from '../../../src/engine/webhooks/trigger-preset.js';
import { contextOf } from '../../support/context.js';
import { act, loadedOf, send, testWebhooks, webhooksConfig } from '../../support/webhooks.js';

const test = suite('presets of senders');

const SESSION = 'agent:main:ci';

/** Secrets of the form that the scheme needs. */
function secretOf(preset: Preset): string {
  if (preset.route.verify?.scheme === 'standard-webhooks') return `whsec_${btoa('k'.repeat(32))}`;
  return 'ada:a-secret-of-tests-0123456789';
}

function routeOf(preset: Preset): object {
  const secrets = [secretOf(preset)];
  const { verify, ...route } = preset.route;
  return { ...route, sessionKey: SESSION, verify: { ...verify, secrets } };
}

test('the route of each preset is a valid configuration', () => {
  for (const preset of PRESETS) {
    const routes = { r: { sessionKey: SESSION, ...preset.route } };
    const { faults, warnings } = checkConfigText(
      '/svc.json',
      JSON.stringify(webhooksConfig(routes)),
    );
    assert.equal([...faults, ...warnings], [], preset.name);
  }
});

test('the example of each preset gets from its signature to a flow, once per delivery', async () => {
  for (const preset of PRESETS) {
    const { name } = preset;
    const routes = { r: routeOf(preset) };
    const { url, home, close } = await testWebhooks({ routes });
    const loaded = loadedOf(webhooksConfig(routes));
    const context = contextOf(home.path);
    const trigger = { preset: name, routeId: undefined, baseUrl: url, signal: NEVER };
    const sent = await triggerPreset(trigger, loaded, context);
    assert.is(sent.status, 200, `${name}: ${JSON.stringify(sent.answer)}`);
    const { flow, task } = Object(sent.answer['result']);
    assert.ok(flow.goal.length > 5, name);
    assert.not(/[{}]|undefined|null|\[object/u.test(flow.goal), `${name}: ${flow.goal}`);
    assert.is(
      task === undefined,
      preset.route.map?.some((rule) => rule.task !== undefined) !== true,
    );
    for (const value of Object.values(Object(flow.stateJson))) assert.ok(value !== '', name);
    await triggerPreset(trigger, loaded, context);
    const { body } = await act(url, { action: 'list_flows' });
    assert.is(Object(body['result']).flows.length, 2, `${name}: each is a delivery of its own`);
    const unsigned = await send(url, {
      path: '/plugins/webhooks/r',
      secret: undefined,
      headers: preset.headers ?? {},
      body: JSON.stringify(preset.body),
    });
    assert.is(unsigned.status, 401, name);
    await close();
  }
});

test('the route of a preset is found by how it verifies, or has to be named', async () => {
  const [push, pull] = PRESETS;
  assert.ok(push !== undefined && pull !== undefined);
  const trigger = (preset: string, routes: object) =>
    triggerPreset(
      {
        preset,
        routeId: undefined,
        baseUrl: 'http://127.0.0.1:9',
        signal: NEVER,
      },
      loadedOf(webhooksConfig(routes)),
      contextOf('/'),
    ).then(
      () => '',
      (error: Error) => error.message,
    );
  assert.match(await trigger('github.pusj', {}), /preset github.pusj not found/);
  assert.match(await trigger('github.push', {}), /no route verifies requests/);
  const two = { a: routeOf(push), b: routeOf(push) };
  assert.match(await trigger('github.push', two), /fits several routes/);
  const oneMaps = { a: routeOf(pull), b: routeOf(push) };
  assert.match(
    await trigger('github.push', oneMaps),
    /cannot call .*\/b: connection refused: nothing is listening there$/,
  );
  const linear = PRESETS.find(({ name }) => name === 'linear.issue');
  assert.ok(linear?.route.verify?.scheme === 'hmac');
  const verify = { ...linear.route.verify, header: 'linear-signature', secrets: ['k'.repeat(32)] };
  assert.match(
    await trigger('linear.issue', { c: { ...routeOf(linear), verify } }),
    /cannot call .*\/c: /,
    'in any case of the header',
  );
});

test.run();
