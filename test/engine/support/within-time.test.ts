import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withinTime } from '../../../src/engine/support/async.js';

const test = suite('work within a time');

const never = (): Promise<never> => new Promise(() => {});
const HOUR_MS = 3_600_000;

function thrownBy(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => assert.unreachable(),
    (error: unknown) => error,
  );
}

test('work that hangs is given up when its time is over, and told to stop', async () => {
  let told: AbortSignal | undefined;
  const timed = await withinTime(1, undefined, (signal) => {
    told = signal;
    return never();
  });
  assert.equal(timed, { done: false });
  assert.ok(told?.aborted);
});

test('work that hangs is given up when it is stopped, before or meanwhile', async () => {
  const reason = new Error('stopped');
  assert.is(await thrownBy(withinTime(HOUR_MS, AbortSignal.abort(reason), never)), reason);
  const stop = new AbortController();
  const waiting = thrownBy(withinTime(HOUR_MS, stop.signal, never));
  stop.abort(reason);
  assert.is(await waiting, reason);
});

test('work that is done in time gives what it gives, and leaves no timer', async () => {
  const { signal } = new AbortController();
  const timed = await withinTime(HOUR_MS, signal, async () => 'done');
  assert.equal(timed, { done: true, value: 'done' });
  const failure = new Error('failed');
  const fail = (): Promise<never> => Promise.reject(failure);
  assert.is(await thrownBy(withinTime(HOUR_MS, undefined, fail)), failure);
  assert.not.ok(process.getActiveResourcesInfo().includes('Timeout'));
});

test.run();
