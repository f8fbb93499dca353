import { chmodSync, rmSync } from 'node:fs';
import { mock } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { loadConfig } from '../../../../src/engine/config/index.js';
import { createSecretMask } from '../../../../src/engine/masking/index.js';
import type { ServeSetup, Service, ServiceHost } from '../../../../src/engine/serve/service.js';
import {
  flowsDefinition,
  type OpenedFlows,
} from '../../../../src/engine/serve/services/flows-service.js';
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

interface World {
  readonly opened: OpenedFlows;
  readonly log: ServiceHost['log'];
}

function started(
  setup: ServeSetup,
  trouble: ServiceHost['setProblem'] = () => undefined,
  { opened = { current: undefined }, log = testLog().logger }: Partial<World> = {},
): Promise<Service> {
  return flowsDefinition(setup, opened).start({
    log,
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

test('that a cleanup failed is logged once, until one has worked', async () => {
  const opened: OpenedFlows = { current: undefined };
  const { logger, lines } = testLog();
  mock.timers.enable({ apis: ['setInterval', 'setTimeout'] });
  const service = await started(await setupOf(homeOf()), undefined, { opened, log: logger });
  const operator = opened.current?.operator;
  assert.ok(operator);
  const { sweep } = operator;
  const failing: typeof sweep = async () => {
    throw new Error('no server');
  };
  const logged: number[] = [];
  for (const [waitMs, sweeps] of [
    [5000, failing],
    [55_000, failing],
    [60_000, sweep],
    [60_000, failing],
  ] as const) {
    let done: Promise<unknown> = Promise.resolve();
    Object.assign(operator, {
      sweep: () => {
        const sweeping = sweeps();
        done = sweeping.catch(() => undefined);
        return sweeping;
      },
    });
    mock.timers.tick(waitMs);
    await done;
    await turn();
    logged.push(lines.filter((line) => line.includes('cleanup failed: no server')).length);
  }
  mock.timers.reset();
  await service.stop();
  assert.equal(logged, [1, 1, 1, 2]);
});

test.run();
