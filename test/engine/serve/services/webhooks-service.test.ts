import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { flowsFile } from '../../../../src/engine/flows/index.js';
import { createSecretMask } from '../../../../src/engine/masking/index.js';
import type { ServeSetup } from '../../../../src/engine/serve/service.js';
import { webhooksDefinition } from '../../../../src/engine/serve/services/webhooks-service.js';
import type { ServiceFailure } from '../../../../src/engine/serve/state-file.js';
import { contextOf } from '../../../support/context.js';
import { failureOf } from '../../../support/failure.js';
import { freePort } from '../../../support/free-port.js';
import { testLog } from '../../../support/services.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { act, CI_ENV, loadedOf, send, webhooksConfig } from '../../../support/webhooks.js';

const test = suite('the webhook listener under svc serve');

test('while one of its two ports is in use, it listens on neither', async () => {
  const [port, adminPort] = [await freePort(), await freePort()];
  const gateway = { port, admin: { port: adminPort } };
  const { logger, lines } = testLog();
  const definition = webhooksDefinition(
    {
      context: contextOf(tempFolder().path, { env: CI_ENV }),
      loaded: loadedOf({ ...webhooksConfig(), gateway }),
      mask: createSecretMask(),
    },
    { readiness: () => ({ status: 'ready', waiting: [] }) },
  );
  const start = () =>
    definition.start({
      log: logger,
      fail: () => undefined,
      setLastEvent: () => undefined,
      setProblem: () => undefined,
      signal: new AbortController().signal,
    });
  for (const inUse of [adminPort, port]) {
    const other = createServer().listen(inUse, '127.0.0.1');
    await once(other, 'listening');
    assert.is((await failureOf(start())).code, 'LISTEN_FAILED');
    assert.not.match(lines.join(''), `listening on http://127.0.0.1:${port}`);
    other.close();
    await once(other, 'close');
  }
  const service = await start();
  assert.is((await send(service.url ?? '')).status, 200);
  await service.stop();
});

/** A started service, and the problem that it reports. */
async function startedWith(setup: ServeSetup) {
  let problem: ServiceFailure | undefined;
  const service = await webhooksDefinition(setup, { readiness: undefined }).start({
    log: testLog().logger,
    fail: () => undefined,
    setLastEvent: () => undefined,
    setProblem: (failure) => {
      problem = failure;
    },
    signal: new AbortController().signal,
  });
  return { service, problem: () => problem };
}

test('a reload does not hide that changes cannot be stored', async () => {
  const home = tempFolder();
  const context = contextOf(home.path, { env: CI_ENV });
  const gateway = { port: 0 };
  const setup = {
    context,
    loaded: loadedOf({ ...webhooksConfig(), gateway }),
    mask: createSecretMask(),
  };
  const { service, problem } = await startedWith(setup);
  rmSync(flowsFile(context));
  const answer = await act(service.url ?? '', { action: 'create_flow', goal: 'g' });
  assert.is(answer.status, 503);
  assert.is(problem()?.code, 'FLOWS_PERSIST_FAILED');
  assert.ok(await service.reload(setup));
  assert.is(problem()?.code, 'FLOWS_PERSIST_FAILED');
  await service.stop();
});

test('the only route that cannot be served is named, without a count of others', async () => {
  const loaded = loadedOf({ ...webhooksConfig(), gateway: { port: 0 } });
  const setup = { context: contextOf(tempFolder().path), loaded, mask: createSecretMask() };
  const { service, problem } = await startedWith(setup);
  await service.stop();
  assert.match(problem()?.message ?? '', /^route ci is skipped: /u);
  assert.not.match(problem()?.message ?? '', 'more route');
});

test.run();
