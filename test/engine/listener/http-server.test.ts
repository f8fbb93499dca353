import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createHttpServer } from '../../../src/engine/listener/http-server.js';
import { testLog } from '../../support/services.js';
import { tempFolder } from '../../support/temp-folder.js';

const test = suite('the HTTP server');

const folder = tempFolder();
const made = spawnSync('openssl', [
  ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
  ...['-keyout', folder.at('k.pem'), '-out', folder.at('c.pem'), '-days', '2'],
  ...['-subj', '/CN=localhost'],
]);
if (made.status !== 0) process.stdout.write('skipped: there is no openssl here\n');

(made.status === 0 ? test : test.skip)(
  'a connection on which TLS never begins is closed as soon as one without headers',
  async () => {
    const tls = { cert: folder.at('c.pem'), key: folder.at('k.pem') };
    const server = createHttpServer({
      address: { host: '127.0.0.1', port: 0, tls, trustedProxies: [] },
      log: testLog().logger,
      node: { headersTimeout: 200 },
    });
    await server.listen({ host: '127.0.0.1', port: 0 });
    const { port } = server.server.address() as AddressInfo;
    const startedMs = performance.now();
    const socket = connect(port, '127.0.0.1').resume();
    await once(socket, 'close');
    assert.ok(performance.now() - startedMs < 60_000, 'it was not closed in time');
    await server.close();
  },
);

test.run();
