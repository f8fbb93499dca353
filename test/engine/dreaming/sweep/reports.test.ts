import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { blockContent, withBlock } from '../../../../src/engine/dreaming/sweep/reports.js';

test('a block is written again in its place', () => {
  const once = withBlock('# Today\n\nMine.\n', 'light', 'one');
  const twice = withBlock(`${once}\nMine too.\n`, 'light', 'two');
  assert.is(blockContent(twice, 'light'), 'two');
  assert.is(twice.replaceAll(/<!--[\s\S]*-->\n/gu, ''), '# Today\n\nMine.\n\n\nMine too.\n');
});

test('what a person wrote below a block whose end they took away stays, sweep after sweep', () => {
  const hand = '<!-- svc:dreaming:light:start -->\nold\n\nMine, by hand.\n';
  const twice = withBlock(withBlock(hand, 'light', 'one'), 'light', 'two');
  assert.ok(twice.startsWith(hand));
  assert.is(blockContent(twice, 'light'), 'two');
});

test.run();
