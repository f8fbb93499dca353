import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseBody } from '../../../src/engine/webhooks/body.js';
import { FUZZED_ROUTES } from '../../support/fuzz-requests.js';
import { sendFuzzed } from '../../support/send-fuzzed.js';
import { act, testWebhooks } from '../../support/webhooks.js';

const test = suite('random requests');

const COUNT = 4000;

test(`${COUNT} requests of every kind get 2xx or 4xx, and the next honest one is served`, async () => {
  const { url, port, lines, close } = await testWebhooks({
    routes: FUZZED_ROUTES,
    limits: { ratePerWindow: 1_000_000, inFlight: 1000, bodyTimeoutSeconds: 1 },
    patience: { headersMs: 1000, checkEveryMs: 100, spareMs: 200 },
  });
  const seed = Date.now();
  try {
    const { statuses, broken } = await sendFuzzed(port, COUNT, seed);
    const seen = JSON.stringify([...statuses]);
    assert.equal(broken.map(String), [], `seed ${seed}: ${seen}`);
    // The course reaches every step.
    for (const status of ['200', '202', '400', '401', '404', '405', '415', '422']) {
      assert.ok(statuses.has(status), `seed ${seed}: ${status} of ${seen}`);
    }
    assert.is((await act(url, { action: 'list_flows' })).status, 200);
  } finally {
    await close();
  }
  assert.not(lines.some((line) => /"level":"(?:error|fatal)"/.test(line)));
});

/** Whether a value has none of the forms that bodies are refused for. */
function isTaken(value: unknown): boolean {
  const text = JSON.stringify(value);
  let isExact = true;
  JSON.parse(text, (_, part: unknown) => {
    if (Number.isInteger(part) && !Number.isSafeInteger(part)) isExact = false;
    return part;
  });
  return isExact && !text.includes('__proto__');
}

test('any JSON without the excluded forms is read as JSON.parse reads it', () => {
  const clean = fc.jsonValue({ maxDepth: 8 }).filter(isTaken);
  fc.assert(
    fc.property(clean, fc.boolean(), (value, isSpread) => {
      const text = JSON.stringify(value, undefined, isSpread ? 2 : 0);
      const parsed = parseBody(Buffer.from(text));
      assert.ok(parsed.ok, text);
      assert.equal(parsed.value, JSON.parse(text));
    }),
  );
});

test('a duplicate key is found anywhere, and the same key in different objects is accepted', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), fc.string(), (value, name) => {
      const key = JSON.stringify(name);
      const inner = JSON.stringify(value);
      const twice = `[{${key}:${inner},"other":[{${key}:1}],${key}:2}]`;
      if (name !== 'other' && name !== '__proto__' && isTaken(value)) {
        const parsed = parseBody(Buffer.from(twice));
        assert.equal(parsed, { ok: false, error: 'body: contains a duplicate field' });
      }
    }),
  );
});

test('any bytes are read or refused, and nothing is thrown', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      assert.type(parseBody(Buffer.from(bytes)).ok, 'boolean');
    }),
  );
});

test('the largest bodies are read quickly whatever they are made of', () => {
  const size = 262_144;
  const fields = Array.from({ length: size / 10 }, (_, n) => `"${n}":0`).join(',');
  const bodies = [`{${fields}}`, `"${'\\\\'.repeat(size / 2)}"`, `[${'1,'.repeat(size / 2)}1]`];
  const started = process.cpuUsage();
  for (const body of bodies) assert.ok(parseBody(Buffer.from(body)).ok);
  assert.not(parseBody(Buffer.from('['.repeat(size))).ok);
  // Seconds, if the work grew with the square of the size.
  assert.ok(process.cpuUsage(started).user < 5_000_000);
});

test.run();
