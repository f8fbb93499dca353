import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { listenForOrders } from '../../src/cli/serve-command.js';

function listening() {
  const calls: string[] = [];
  const signals = listenForOrders({
    stop: (reason) => calls.push(`stop ${reason}`),
    reload: () => calls.push('reload'),
    logUncaught: (error, continues) =>
      calls.push(`uncaught ${String(error)}${continues ? '' : '!'}`),
    exit: (code) => calls.push(`exit ${code}`),
  });
  const emit = (name: string, ...args: unknown[]) =>
    process.emit(name as 'SIGINT', ...(args as []));
  return { calls, signals, emit };
}

test('the first signal stops the process cleanly, the second at once, whichever they are', () => {
  for (const [second, code] of [
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const) {
    const { calls, signals, emit } = listening();
    emit('SIGTERM');
    emit(second);
    assert.equal(calls.slice(0, 2), ['stop SIGTERM', `exit ${code}`]);
    signals.close();
  }
});

test('a key of the screen counts as a signal', () => {
  const { calls, signals, emit } = listening();
  signals.stop('quit');
  emit('SIGINT');
  assert.equal(calls.slice(0, 2), ['stop quit', 'exit 130']);
  signals.close();
});

test('SIGHUP reloads; afterwards all listeners are removed', () => {
  const before = process.listenerCount('SIGHUP');
  const { calls, signals, emit } = listening();
  emit('SIGHUP');
  assert.equal(calls, ['reload']);
  signals.close();
  assert.is(process.listenerCount('SIGHUP'), before);
});

test('an uncaught resource shortage is survived, and a bug stops the process cleanly', () => {
  const { calls, signals } = listening();
  const listeners = process.listeners('uncaughtException').slice(-1);
  for (const error of [Object.assign(new Error('out'), { code: 'EMFILE' }), new TypeError('bug')]) {
    for (const listener of listeners) listener(error, 'uncaughtException');
  }
  assert.equal(calls, ['uncaught Error: out', 'uncaught TypeError: bug!', 'stop crash']);
  signals.close();
});

test.run();
