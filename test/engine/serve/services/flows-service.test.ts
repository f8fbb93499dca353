import { chmodSync, rmSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { loadConfig } from '../../../../src/engine/config/index.js';
import { createSecretMask } from '../../../../src/engine/masking/index.js';
import type { ServeSetup, Service, ServiceHost } from '../../../../src/engine/serve/service.js';
import { flowsDefinition } from '../../../../src/engine/serve/services/flows-service.js';
import type { ServiceFailure } from '../../../../src/engine/serve/state-file.js';
import { contextOf } from '../../../support/context.js';
import { testLog } from '../../../support/services.js';
import { folderOf, type TempFolder } from '../../../support/temp-folder.js';

const test = suite('flows under svc serve');

const SECRETS = { 'first.key': 'the first secret of a test', 'callback.key': 'another one' };

/** A home whose receivers have their secrets in files. */
function homeOf(): TempFolder {
  const home = folderOf(SECRETS);
  for (const name of Object.keys(SECRETS)) chmodSync(home.at(name), 0o600);
  const provider = (name: string) => ({
    source: 'file',
    mode: 'singleValue',
    path: home.at(name),
  });
  const receiver = (name: string) => ({
    url: 'https://127.0.0.1:9/hook',
    secret: { source: 'file', provider: name, id: 'value' },
  });
  const callback = receiver('callback');
  const routes = { ci: { sessionKey: 's', secret: 'of-the-route', callback } };
  const config = {
    secrets: { providers: { first: provider('first.key'), callback: provider('callback.key') } },
    flows: { notify: receiver('first') },
    plugins: { entries: { webhooks: { enabled: true, config: { routes } } } },
  };
  home.write('svc.json', JSON.stringify(config));
  return home;
}

async function setupOf(home: TempFolder): Promise<ServeSetup> {
  const context = contextOf(home.path);
  return { context, loaded: await loadConfig(context, {}), mask: createSecretMask() };
}

function started(
  setup: ServeSetup,
  trouble: ServiceHost['setProblem'] = () => undefined,
): Promise<Service> {
  return flowsDefinition(setup, { current: undefined }).start({
    log: testLog().logger,
    setLastEvent: () => undefined,
    setProblem: trouble,
    signal: new AbortController().signal,
    fail: () => undefined,
  });
}

for (const file of ['first.key', 'callback.key']) {
  test(`a reload restarts for a new secret in ${file}, and not for an unchanged one`, async () => {
    const home = homeOf();
    const service = await started(await setupOf(home));
    assert.is(await service.reload(await setupOf(home)), true);
    home.write(file, 'a rotated secret of a test');
    assert.is(await service.reload(await setupOf(home)), false);
    await service.stop();
    const next = await started(await setupOf(home));
    assert.is(await next.reload(await setupOf(home)), true);
    await next.stop();
  });
}

test('it runs even without a usable target, because it also reclaims tasks of lost workers', async () => {
  const home = homeOf();
  rmSync(home.at('first.key'));
  rmSync(home.at('callback.key'));
  const troubles: (ServiceFailure | undefined)[] = [];
  const service = await started(await setupOf(home), (failure) => troubles.push(failure));
  const { message, hint } = troubles.at(-1) ?? {};
  const reason =
    /^notifications cannot be delivered: default: .*first\.key.*; route:ci: .*callback\.key/u;
  assert.match(message ?? '', reason);
  assert.match(hint ?? '', /svc notification list/);
  await service.stop();
});

test.run();
