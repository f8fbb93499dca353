import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withinTime } from '../../../src/engine/secrets/file/within-time.js';

const test = suite('work within a time');

const never = new Promise<never>(() => {});
const late = (): Error => new Error('late');
const HOUR_MS = 3_600_000;

function thrownBy(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => assert.unreachable(),
    (error: unknown) => error,
  );
}

test('work that hangs is given up when its time is over', async () => {
  const error = await thrownBy(withinTime(never, 1, late, undefined));
  assert.is(error instanceof Error && error.message, 'late');
});

test('work that hangs is given up when it is stopped, before or meanwhile', async () => {
  const reason = new Error('stopped');
  assert.is(await thrownBy(withinTime(never, HOUR_MS, late, AbortSignal.abort(reason))), reason);
  const stop = new AbortController();
  const waiting = thrownBy(withinTime(never, HOUR_MS, late, stop.signal));
  stop.abort(reason);
  assert.is(await waiting, reason);
});

test('work that is done in time gives what it gives, and leaves no timer', async () => {
  const { signal } = new AbortController();
  assert.is(await withinTime(Promise.resolve('done'), HOUR_MS, late, signal), 'done');
  const failure = new Error('failed');
  assert.is(await thrownBy(withinTime(Promise.reject(failure), HOUR_MS, late, signal)), failure);
  assert.not.ok(process.getActiveResourcesInfo().includes('Timeout'));
});

test.run();
