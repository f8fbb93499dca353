import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { cronEverFires, parseCron } from '../../../src/engine/support/cron.js';

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
  ['', 'it must have five fields'],
  ['0 3 * *', 'it must have five fields'],
  ['0 3 * * * *', 'it must have five fields'],
  ['60 3 * * *', 'minute must be between 0 and 59 (got "60")'],
  ['0 24 * * *', 'hour must be between 0 and 23 (got "24")'],
  ['0 0 0 * *', 'day of month must be between 1 and 31 (got "0")'],
  ['0 0 * 13 *', 'month must be between 1 and 12 (got "13")'],
  ['0 0 * * someday', 'day of week must be between 0 and 7 (got "someday")'],
  ['5-1 * * * *', 'minute "5-1" goes backwards; write 5-59,0-1 instead'],
  ['0 3 * * FRI-MON', 'day of week "FRI-MON" goes backwards; write FRI-7,0-MON instead'],
  ['*/0 * * * *', 'the step of minute must be 1 or more (got "*/0")'],
  ['1,,2 * * * *', 'minute must be between 0 and 59 (got "")'],
  ['-1 * * * *', 'minute must be between 0 and 59 (got "")'],
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
