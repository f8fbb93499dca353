import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createStore } from '../../../src/ui/components/store.js';
import { waitFor } from '../../support/wait.js';

const test = suite('the store of a screen');

test('frequent events are reported together, and a key immediately', async () => {
  const isUrgent = (event: string): boolean => event === 'key';
  const reduce = (state: string, event: string): string => `${state} ${event}`;
  const store = createStore('', reduce, { everyMs: 20, now: () => performance.now(), isUrgent });
  const snapshots: string[] = [];
  store.subscribe(() => snapshots.push(store.getSnapshot()));
  for (const event of ['file', 'file', 'key', 'file']) store.dispatch(event);
  assert.equal(snapshots, [' file', ' file file key']);
  await waitFor('the last change', () => snapshots.length === 3);
  assert.is(snapshots[2], ' file file key file');
});

test('a listener added after the last one left receives delayed changes', async () => {
  const reduce = (state: number): number => state + 1;
  const store = createStore(0, reduce, { everyMs: 20, now: () => performance.now() });
  const leave = store.subscribe(() => undefined);
  store.dispatch('first');
  store.dispatch('delayed');
  leave();
  const snapshots: number[] = [];
  store.subscribe(() => snapshots.push(store.getSnapshot()));
  store.dispatch('delayed again');
  await waitFor('the last change', () => snapshots.at(-1) === 3);
});

test.run();
