import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { deferred, SharedOpening } from '../../../src/engine/support/async.js';

const test = suite('shared opening');

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

test('it is opened again after a failure', async () => {
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

test.run();
