import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { cronEverFires, parseCron } from '../../../src/engine/config/cron.js';

const test = suite('cron expressions');

function fires(expression: string): boolean | string {
  const result = parseCron(expression);
  return result.ok ? cronEverFires(result.fields) : result.reason;
}

const FIRING = [
  '0 3 * * *',
  '*/15 9-17 * * mon-fri',
  '0 0 1,15 * *',
  '5/10 * * JAN,jul 0,7',
  '0 0 29 2 *',
  '0 0 31 2,3 *',
  // Either day field may match, and there is a Monday in February.
  '0 0 31 2 1',
];

for (const expression of FIRING) {
  test(`${expression} fires`, () => assert.is(fires(expression), true));
}

for (const expression of ['0 0 30 2 *', '0 0 31 2,4,6 *']) {
  test(`${expression} never fires`, () => assert.is(fires(expression), false));
}

const UNREADABLE: readonly (readonly [string, string])[] = [
  ['', 'it does not have five fields'],
  ['0 3 * *', 'it does not have five fields'],
  ['0 3 * * * *', 'it does not have five fields'],
  ['60 3 * * *', '"60" is no minute (0 to 59)'],
  ['0 24 * * *', '"24" is no hour (0 to 23)'],
  ['0 0 0 * *', '"0" is no day of month (1 to 31)'],
  ['0 0 * 13 *', '"13" is no month (1 to 12)'],
  ['0 0 * * someday', '"someday" is no day of week (0 to 7)'],
  ['5-1 * * * *', '"5-1" is no minute (0 to 59)'],
  ['*/0 * * * *', '"*/0" is no minute (0 to 59)'],
  ['1,,2 * * * *', '"" is no minute (0 to 59)'],
  ['-1 * * * *', '"" is no minute (0 to 59)'],
];

for (const [expression, reason] of UNREADABLE) {
  test(`${JSON.stringify(expression)} is refused with the reason`, () => {
    assert.is(fires(expression), reason);
  });
}

test('7 is Sunday', () => {
  const result = parseCron('0 0 * * 7');
  assert.ok(result.ok && result.fields.daysOfWeek.has(0) && !result.fields.daysOfWeek.has(7));
});

test('no text makes it throw', () => {
  const field = fc.stringMatching(/^[0-9*,/a-z-]{1,6}$/);
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.array(field, { minLength: 5, maxLength: 5 })), (text) => {
      parseCron(typeof text === 'string' ? text : text.join(' '));
    }),
  );
});

test.run();
