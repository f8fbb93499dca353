import { once } from 'node:events';
import { createServer } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createSecretMask } from '../../../../src/engine/masking/index.js';
import { webhooksDefinition } from '../../../../src/engine/serve/services/webhooks-service.js';
import { contextOf } from '../../../support/context.js';
import { failureOf } from '../../../support/failure.js';
import { freePort } from '../../../support/free-port.js';
import { testLog } from '../../../support/services.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { CI_ENV, loadedOf, send, webhooksConfig } from '../../../support/webhooks.js';

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

test.run();
