import { mock } from 'node:test';
import { Text } from 'ink';
import type { ReactElement } from 'react';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { useSpinner } from '../../../src/ui/screens/provider/run.js';
import { render } from '../../support/render-view.js';

const test = suite('views with timers');

/** React draws a moment later. */
async function pass(ms: number): Promise<void> {
  mock.timers.tick(ms);
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

test.before.each(() => {
  mock.timers.enable({ apis: ['setInterval'] });
});
test.after.each(() => mock.timers.reset());

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
