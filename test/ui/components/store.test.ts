import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createState, createStore } from '../../../src/ui/components/store.js';
import { waitFor } from '../../support/wait.js';

const test = suite('the store of a screen');

test('frequent events are reported together, and a key immediately', async () => {
  const isUrgent = (event: string): boolean => event === 'key';
  const reduce = (state: string, event: string): string => `${state} ${event}`;
  const store = createStore('', reduce, { everyMs: 20, now: () => 0, isUrgent });
  const snapshots: string[] = [];
  store.subscribe(() => snapshots.push(store.getSnapshot()));
  for (const event of ['file', 'file', 'key', 'file']) store.dispatch(event);
  assert.equal(snapshots, [' file', ' file file key']);
  await waitFor('the last change', () => snapshots.length === 3);
  assert.is(snapshots[2], ' file file key file');
});

test('a listener added after the last one left receives delayed changes', async () => {
  const reduce = (state: number): number => state + 1;
  const store = createStore(0, reduce, { everyMs: 20, now: () => 0 });
  const leave = store.subscribe(() => undefined);
  store.dispatch('first');
  store.dispatch('delayed');
  leave();
  const snapshots: number[] = [];
  store.subscribe(() => snapshots.push(store.getSnapshot()));
  store.dispatch('delayed again');
  await waitFor('the last change', () => snapshots.at(-1) === 3);
});

test('a change after a pause is reported at once, and of a burst the last one', async () => {
  let now = 0;
  const store = createStore(0, (sum: number, by: number) => sum + by, {
    everyMs: 20,
    now: () => now,
  });
  const snapshots: number[] = [];
  const unsubscribe = store.subscribe(() => snapshots.push(store.getSnapshot()));
  store.dispatch(1);
  assert.equal(snapshots, [1]);
  store.dispatch(1);
  store.dispatch(0);
  store.dispatch(1);
  assert.equal(snapshots, [1]);
  now = 20;
  store.dispatch(1);
  assert.equal(snapshots, [1, 4]);
  store.dispatch(1);
  await new Promise<void>((resolve) => store.subscribe(resolve));
  assert.equal(snapshots, [1, 4, 5]);
  unsubscribe();
});

test('a listener that leaves does not take delayed changes from the others', async () => {
  const store = createStore(0, (sum: number, by: number) => sum + by, {
    everyMs: 20,
    now: () => 0,
  });
  const snapshots: number[] = [];
  store.subscribe(() => snapshots.push(store.getSnapshot()));
  const leave = store.subscribe(() => undefined);
  store.dispatch(1);
  store.dispatch(1);
  leave();
  await waitFor('the last change', () => snapshots.length === 2);
  assert.equal(snapshots, [1, 2]);
});

test('events that change nothing are not reported', () => {
  let reports = 0;
  const store = createState({ rows: 1, note: 'a' });
  store.subscribe(() => {
    reports += 1;
  });
  const before = store.getSnapshot();
  store.dispatch({ rows: 1 });
  store.dispatch({});
  assert.is(store.getSnapshot(), before);
  assert.is(reports, 0);
  store.dispatch({ rows: 1, note: 'b' });
  assert.equal(store.getSnapshot(), { rows: 1, note: 'b' });
  assert.is(reports, 1);
});

test.run();
