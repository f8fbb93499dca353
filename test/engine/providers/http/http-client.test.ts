import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { sendOnce } from '../../../../src/engine/providers/http/http-client.js';
import { VendorFault } from '../../../../src/engine/providers/vendor-fault.js';

const test = suite('http client');

test('an answer without an end is given up as too large', async () => {
  const chunk = Buffer.alloc(4 * 1024 * 1024, ' ');
  const server = createServer((_request, response) => {
    Readable.from(
      (function* () {
        for (;;) yield chunk;
      })(),
    ).pipe(response);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  try {
    await sendOnce({
      method: 'POST',
      url: `http://127.0.0.1:${address.port}/v1/embeddings`,
      json: {},
      signal: new AbortController().signal,
      timeoutMs: 60_000,
    });
    assert.unreachable();
  } catch (error) {
    assert.ok(error instanceof VendorFault);
    assert.is(error.message, 'the answer is broken: it is too large');
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test.run();
