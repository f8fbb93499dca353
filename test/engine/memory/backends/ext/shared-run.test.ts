import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  RunPending,
  SharedRun,
} from '../../../../../src/engine/memory/backends/ext/ext-refresher.js';
import type { SyncEvent } from '../../../../../src/engine/memory/sync/events.js';
import { deferred } from '../../../../../src/engine/support/async.js';

const test = suite('work that several callers wait for');

/** Work that ends when it is told to, or when nobody waits any more. */
function running() {
  const { promise, resolve, reject } = deferred<string>();
  let tell: (event: SyncEvent) => void = () => undefined;
  let signal: AbortSignal | undefined;
  const run = new SharedRun<string>((work) => {
    ({ signal } = work);
    tell = work.onEvent;
    work.signal.addEventListener('abort', () => reject(work.signal.reason));
    return promise;
  });
  return {
    run,
    resolve,
    reject,
    tell: (event: SyncEvent) => tell(event),
    isAborted: () => signal?.aborted,
  };
}

const reasonOf = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'fulfilled',
    (error: unknown) => error,
  );

test('whoever gives up takes nobody along', async () => {
  const { run, resolve, isAborted } = running();
  const [first, second] = [new AbortController(), new AbortController()];
  const left = reasonOf(run.join({ signal: first.signal }));
  const stays = run.join({ signal: second.signal });
  first.abort('mine');
  assert.is(await left, 'mine');
  assert.is(isAborted(), false);
  resolve('done');
  assert.is(await stays, 'done');
  assert.is(run.isAbandoned, false);
});

test('it ends when the last has left', async () => {
  const { run, isAborted } = running();
  const [first, second] = [new AbortController(), new AbortController()];
  const both = [
    reasonOf(run.join({ signal: first.signal })),
    reasonOf(run.join({ signal: second.signal })),
  ];
  first.abort('one');
  second.abort('two');
  assert.equal(await Promise.all(both), ['one', 'two']);
  assert.equal([isAborted(), run.isAbandoned], [true, true]);
});

test('patience that is over is no end of it', async () => {
  const { run, resolve } = running();
  const begun = run.join({});
  assert.instance(await reasonOf(run.join({}, 1)), RunPending);
  assert.is(run.isOver, false);
  resolve('done');
  assert.is(await begun, 'done');
  assert.is(run.isOver, true);
});

test('all hear what it tells, and why it failed', async () => {
  const { run, reject, tell } = running();
  const heard: string[] = [];
  const options = { onEvent: ({ type }: SyncEvent) => heard.push(type) };
  const both = [reasonOf(run.join(options)), reasonOf(run.join(options))];
  tell({ type: 'ext.running', command: 'update' });
  reject(new Error('broken'));
  assert.equal(
    (await Promise.all(both)).map((error) => error instanceof Error && error.message),
    ['broken', 'broken'],
  );
  assert.equal(heard, ['ext.running', 'ext.running']);
  // It failed by itself: nobody is told that it was given up.
  assert.equal([run.isOver, run.isAbandoned], [true, false]);
});

test('somebody who gave up before does not wait', async () => {
  const { run, resolve } = running();
  const begun = run.join({});
  assert.is(await reasonOf(run.join({ signal: AbortSignal.abort('before') })), 'before');
  resolve('done');
  await begun;
});

test.run();
