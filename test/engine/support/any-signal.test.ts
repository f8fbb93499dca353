import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { anySignal } from '../../../src/engine/support/async.js';
import { waitFor } from '../../support/wait.js';

const test = suite('signals that abort with any of several');

const SOURCE = fileURLToPath(new URL('../../../src', import.meta.url));
/** Long enough for garbage to be collected before, also on a busy machine. */
const LIMIT_MS = 500;

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** Aborts after a time, as a time limit or by a controller. */
const SIGNALS = {
  'a time limit': () => AbortSignal.timeout(LIMIT_MS),
  'a controller': () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(new DOMException('late', 'TimeoutError')), LIMIT_MS);
    return controller.signal;
  },
};
const { signal: never } = new AbortController();
const COMBINED = {
  'by one': (make: () => AbortSignal) => anySignal([never, make()]),
  'by one of one': (make: () => AbortSignal) => anySignal([anySignal([make(), never]), never]),
};

for (const [what, make] of Object.entries(SIGNALS)) {
  for (const [how, combine] of Object.entries(COMBINED)) {
    test(`${what} aborts the combined signal, ${how}, even if garbage is collected meanwhile`, async () => {
      const combined = Array.from({ length: 10 }, () => combine(make));
      let heard = 0;
      for (const signal of combined.slice(5)) {
        signal.addEventListener('abort', () => (heard += 1));
      }
      await waitFor('every signal', () => {
        collectGarbage();
        return combined.every(({ aborted }) => aborted);
      });
      assert.is(heard, 5);
      for (const { reason } of combined) {
        assert.instance(reason, DOMException);
        assert.is(reason.name, 'TimeoutError');
      }
    });
  }
}

test('nothing else combines signals: what AbortSignal.any makes can lose them', () => {
  const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' });
  const using = files.filter(
    (file) =>
      /\.tsx?$/u.test(file) &&
      /\bAbortSignal\s*\.\s*any\s*\(/u.test(readFileSync(join(SOURCE, file), 'utf8')),
  );
  assert.equal(
    using.map((file) => file.replaceAll('\\', '/')),
    ['engine/support/async.ts'],
  );
});

test.run();
