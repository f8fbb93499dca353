import * as fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fittingKeys, keyLines } from '../../../src/ui/components/screen.js';
import { textWidth } from '../../../src/ui/fit.js';
import { createStyle } from '../../../src/ui/style.js';

const test = suite('keys of a screen');

const KEYS = [
  ['q, ctrl-c', 'leave'],
  ['⏎', 'open the passage'],
] as const;

test('shows what each key does, with the keys bold and aligned', () => {
  assert.equal(keyLines(KEYS, createStyle(false), 40), [
    'q, ctrl-c   leave',
    '⏎           open the passage',
  ]);
  assert.is(keyLines(KEYS, createStyle(true), 40)[0], '\u001B[1mq, ctrl-c   \u001B[22mleave');
  const long = [...KEYS, ['↑ ↓, ctrl-p ctrl-n', 'select']] as const;
  assert.is(keyLines(long, createStyle(false), 40)[0], 'q, ctrl-c           leave');
});

test('wraps what does not fit next to the key, and never exceeds the width', () => {
  assert.equal(keyLines(KEYS, createStyle(false), 24), [
    'q, ctrl-c   leave',
    '⏎           open the',
    '            passage',
  ]);
  assert.is(keyLines(KEYS, createStyle(false), 18)[1], '⏎           open …');
  for (let columns = 1; columns < 40; columns++) {
    for (const line of keyLines(KEYS, createStyle(true), columns)) {
      assert.ok(textWidth(line) <= columns, `${columns}: ${line}`);
    }
  }
});

const BAR = [
  { text: '↑↓ choose', dropOrder: 1 },
  { text: 'a apply', dropOrder: 2 },
  { text: 'q quit', dropOrder: 4 },
];

test('without room, the least important keys are dropped first', () => {
  assert.is(fittingKeys(BAR, 80), '↑↓ choose   a apply   q quit');
  assert.is(fittingKeys(BAR, 26), 'a apply   q quit');
  assert.is(fittingKeys(BAR, 7), 'q quit');
  assert.is(fittingKeys(BAR, 5), '');
});

test('keys of any priorities fit, and the most important stays longest', () => {
  const key = fc.record({
    text: fc.string({ minLength: 1, maxLength: 12 }),
    dropOrder: fc.integer({ min: 1, max: 5 }),
  });
  fc.assert(
    fc.property(fc.array(key, { maxLength: 8 }), fc.nat(80), (keys, columns) => {
      const line = fittingKeys(keys, columns);
      assert.ok(textWidth(line) <= columns);
      const last = keys.filter(
        ({ dropOrder }) => dropOrder === Math.max(...keys.map((one) => one.dropOrder)),
      );
      if (textWidth(last.map(({ text }) => text).join('   ')) > columns) assert.is(line, '');
      else for (const { text } of last) assert.ok(line.includes(text));
    }),
  );
});

test.run();
