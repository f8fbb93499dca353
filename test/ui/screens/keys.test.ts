import * as fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { textWidth } from '../../../src/ui/fit.js';
import {
  type FooterKey,
  fittingKeys,
  type KeyHelp,
  keyLines,
} from '../../../src/ui/screens/keys.js';
import { createStyle } from '../../../src/ui/style.js';

const test = suite('keys of a screen');

const KEYS: readonly KeyHelp[] = [
  ['q, ctrl-c', 'leave'],
  ['⏎', 'open the passage'],
];

test('tells what each key does, the keys bold and below each other', () => {
  assert.equal(keyLines(KEYS, createStyle(false), 40), [
    'q, ctrl-c   leave',
    '⏎           open the passage',
  ]);
  assert.is(keyLines(KEYS, createStyle(true), 40)[0], '\u001B[1mq, ctrl-c   \u001B[22mleave');
  assert.is(keyLines(KEYS, createStyle(false), 40, 16)[0], 'q, ctrl-c       leave');
});

test('cuts what does not fit, and is never wider than the room', () => {
  assert.is(keyLines(KEYS, createStyle(false), 20)[1], '⏎           open th…');
  for (let columns = 1; columns < 40; columns++) {
    for (const line of keyLines(KEYS, createStyle(true), columns)) {
      assert.ok(textWidth(line) <= columns, `${columns}: ${line}`);
    }
  }
});

const FOOTER: readonly FooterKey[] = [
  { text: '↑↓ choose', shown: true, goes: 1 },
  { text: 'a apply', shown: true, goes: 2 },
  { text: 'u undo', shown: false, goes: 3 },
  { text: 'q quit', shown: true, goes: 4 },
];

test('leaves out the keys that do nothing now, and where there is no room the expendable first', () => {
  assert.is(fittingKeys(FOOTER, 80), '↑↓ choose   a apply   q quit');
  assert.is(fittingKeys(FOOTER, 26), 'a apply   q quit');
  assert.is(fittingKeys(FOOTER, 7), 'q quit');
  assert.is(fittingKeys(FOOTER, 5), '');
});

test('keys in any order of going fit, and the last to go stays longest', () => {
  const key = fc.record({
    text: fc.string({ minLength: 1, maxLength: 12 }),
    shown: fc.boolean(),
    goes: fc.integer({ min: 1, max: 5 }),
  });
  fc.assert(
    fc.property(fc.array(key, { maxLength: 8 }), fc.nat(80), (keys, columns) => {
      const line = fittingKeys(keys, columns);
      assert.ok(textWidth(line) <= columns);
      const shown = keys.filter(({ shown }) => shown);
      const last = shown.filter(({ goes }) => goes === Math.max(...shown.map((one) => one.goes)));
      if (textWidth(last.map(({ text }) => text).join('   ')) > columns) assert.is(line, '');
      else for (const { text } of last) assert.ok(line.includes(text));
    }),
  );
});

test.run();
