import { setImmediate } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  deferred,
  letOthersWork,
  SharedOpening,
  withinTime,
} from '../../../src/engine/support/async.js';
import { errorOf } from '../../support/failure.js';

const test = suite('waiting for others');

const NEVER = new AbortController().signal;

test('a caller that gives up does not end it for the others', async () => {
  const slow = deferred<string>();
  const signals: AbortSignal[] = [];
  const opening = new SharedOpening((signal) => {
    signals.push(signal);
    return slow.promise;
  });
  const first = new AbortController();
  const given = opening.get(first.signal).catch((error: unknown) => error);
  const kept = opening.get(NEVER);
  first.abort('enough');
  assert.is(await given, 'enough');
  slow.resolve('open');
  assert.is(await kept, 'open');
  assert.is(await opening.get(NEVER), 'open');
  assert.equal(
    signals.map(({ aborted }) => aborted),
    [false],
  );
  assert.is(await opening.end(), 'open');
});

test('what is shared is opened again after a failure', async () => {
  const answers = ['refused', undefined];
  const opening = new SharedOpening(async () => {
    const refused = answers.shift();
    if (refused !== undefined) throw new Error(refused);
    return 'open';
  });
  const failure = await opening.get(NEVER).catch((error: Error) => error.message);
  assert.is(failure, 'refused');
  assert.is(await opening.get(NEVER), 'open');
});

test('closing aborts an opening that nobody waits for', async () => {
  const opening = new SharedOpening<string>(
    (signal) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      }),
  );
  const waiting = opening.get(NEVER).catch(() => 'ended');
  assert.is(await opening.end(), undefined);
  assert.is(await waiting, 'ended');
});

const never = (): Promise<never> => new Promise(() => {});
const HOUR_MS = 3_600_000;

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
  assert.is(await errorOf(Error, withinTime(HOUR_MS, AbortSignal.abort(reason), never)), reason);
  const stop = new AbortController();
  const waiting = errorOf(Error, withinTime(HOUR_MS, stop.signal, never));
  stop.abort(reason);
  assert.is(await waiting, reason);
});

test('work done in time returns its result and leaves no timer', async () => {
  const { signal } = new AbortController();
  const timed = await withinTime(HOUR_MS, signal, async () => 'done');
  assert.equal(timed, { done: true, value: 'done' });
  const failure = new Error('failed');
  const fail = (): Promise<never> => Promise.reject(failure);
  assert.is(await errorOf(Error, withinTime(HOUR_MS, undefined, fail)), failure);
  assert.not.ok(process.getActiveResourcesInfo().includes('Timeout'));
});

/** Keeps the event loop busy, in several turns. */
async function work(turns: number, isOver = () => false): Promise<void> {
  for (let turn = 0; turn < turns && !isOver(); turn += 1) {
    await setImmediate();
    for (const endMs = performance.now() + 3; performance.now() < endMs; );
  }
}

test('what blocked the event loop goes on when others are done', async () => {
  const done: string[] = [];
  const answer = work(6).then(() => done.push('answer'));
  await Promise.all([answer, letOthersWork().then(() => done.push('indexing'))]);
  assert.equal(done, ['answer', 'indexing']);
});

test('it also goes on while others are never done', async () => {
  let isOver = false;
  const answers = work(Number.POSITIVE_INFINITY, () => isOver);
  await letOthersWork();
  isOver = true;
  await answers;
});

test.run();
