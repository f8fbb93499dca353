import { mock } from 'node:test';
import { Text } from 'ink';
import type { ReactElement } from 'react';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { useNow, useSpinner } from '../../../src/ui/components/clock.js';
import { render } from '../../support/render-view.js';

const test = suite('views that tick');

let nowMs = 0;

/** React draws a moment later. */
async function pass(ms: number): Promise<void> {
  nowMs += ms;
  mock.timers.tick(ms);
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

test.before.each(() => {
  nowMs = 0;
  mock.timers.enable({ apis: ['setInterval'] });
});
test.after.each(() => mock.timers.reset());

test('times tick every second at first, and every minute later', async () => {
  let drawn = 0;
  function Ago(): ReactElement {
    drawn += 1;
    return <Text>{useNow(() => nowMs, 0) / 1000} s ago</Text>;
  }
  const view = render(<Ago />);
  for (let at = 0; at < 3; at += 1) await pass(1000);
  assert.is(view.lastFrame(), '3 s ago');
  for (let at = 0; at < 57; at += 1) await pass(1000);
  assert.is(view.lastFrame(), '60 s ago');
  const before = drawn;
  await pass(59_000);
  assert.is(drawn, before);
  await pass(1000);
  assert.is(view.lastFrame(), '120 s ago');
  view.unmount();
});

test('a spinner turns only while something runs', async () => {
  let drawn = 0;
  function Work({ runs }: { readonly runs: boolean }): ReactElement {
    drawn += 1;
    return <Text>{useSpinner(runs)}</Text>;
  }
  const still = render(<Work runs={false} />);
  await pass(10_000);
  assert.is(drawn, 1);
  still.unmount();
  const turning = render(<Work runs={true} />);
  const first = turning.lastFrame();
  await pass(100);
  assert.is.not(turning.lastFrame(), first);
  await pass(900);
  assert.is(turning.lastFrame(), first);
  turning.unmount();
});

test.run();
