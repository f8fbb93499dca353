import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { timeoutSignal } from '../../../src/engine/support/async.js';
import { waitFor } from '../../support/wait.js';

const test = suite('signals that abort after a time');

const SOURCE = fileURLToPath(new URL('../../../src', import.meta.url));

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

test('one aborts what was combined with it, even if garbage is collected meanwhile', async () => {
  const { signal } = new AbortController();
  // Long enough for garbage to be collected before, also on a busy machine.
  const limitMs = 1000;
  const combined = Array.from({ length: 20 }, () =>
    AbortSignal.any([signal, timeoutSignal(limitMs)]),
  );
  await waitFor('every signal', () => {
    collectGarbage();
    return combined.every(({ aborted }) => aborted);
  });
  for (const { reason } of combined) {
    assert.instance(reason, DOMException);
    assert.is(reason.name, 'TimeoutError');
  }
});

test('the one of Node.js, which garbage collection can stop, is not used', () => {
  const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' });
  const using = files.filter(
    (file) =>
      /\.tsx?$/u.test(file) &&
      /\bAbortSignal\s*\.\s*timeout\s*\(/u.test(readFileSync(join(SOURCE, file), 'utf8')),
  );
  assert.equal(using, []);
});

test.run();
