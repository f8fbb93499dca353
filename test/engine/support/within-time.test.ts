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

test('hanging work is abandoned at its time limit, and its signal aborted', async () => {
  let told: AbortSignal | undefined;
  const timed = await withinTime(1, undefined, (signal) => {
    told = signal;
    return never();
  });
  assert.equal(timed, { done: false });
  assert.ok(told?.aborted);
});

test('hanging work is abandoned on abort, before or during it', async () => {
  const reason = new Error('stopped');
  assert.is(await thrownBy(withinTime(HOUR_MS, AbortSignal.abort(reason), never)), reason);
  const stop = new AbortController();
  const waiting = thrownBy(withinTime(HOUR_MS, stop.signal, never));
  stop.abort(reason);
  assert.is(await waiting, reason);
});

test('work done in time returns its result and leaves no timer', async () => {
  const { signal } = new AbortController();
  const timed = await withinTime(HOUR_MS, signal, async () => 'done');
  assert.equal(timed, { done: true, value: 'done' });
  const failure = new Error('failed');
  const fail = (): Promise<never> => Promise.reject(failure);
  assert.is(await thrownBy(withinTime(HOUR_MS, undefined, fail)), failure);
  assert.not.ok(process.getActiveResourcesInfo().includes('Timeout'));
});

test.run();
