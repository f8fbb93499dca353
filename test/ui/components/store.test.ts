import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createStore } from '../../../src/ui/components/store.js';
import { waitFor } from '../../support/wait.js';

const test = suite('the store of a screen');

test('frequent events are reported together, and a key immediately', async () => {
  const isUrgent = (event: string): boolean => event === 'key';
  const reduce = (state: string, event: string): string => `${state} ${event}`;
  const store = createStore('', reduce, { everyMs: 20, now: () => performance.now(), isUrgent });
  const told: string[] = [];
  store.subscribe(() => told.push(store.getSnapshot()));
  for (const event of ['file', 'file', 'key', 'file']) store.dispatch(event);
  assert.equal(told, [' file', ' file file key']);
  await waitFor('the last change', () => told.length === 3);
  assert.is(told[2], ' file file key file');
});

test('after the last listener left, a new one hears of paced changes', async () => {
  const reduce = (state: number): number => state + 1;
  const store = createStore(0, reduce, { everyMs: 20, now: () => performance.now() });
  const leave = store.subscribe(() => undefined);
  store.dispatch('first');
  store.dispatch('paced');
  leave();
  const told: number[] = [];
  store.subscribe(() => told.push(store.getSnapshot()));
  store.dispatch('paced again');
  await waitFor('the last change', () => told.at(-1) === 3);
});

test.run();
