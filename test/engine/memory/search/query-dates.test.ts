import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { datesInQuery, dayOfPath } from '../../../../src/engine/memory/search/query.js';
import { anyText } from '../../../support/markdown.js';

const test = suite('dates in questions');

const day = (date: string): number => Date.parse(`${date}T00:00:00Z`) / 86_400_000;

test('a day is understood however it is written', () => {
  for (const text of [
    'what happened on 2023-03-16?',
    'on 16 March 2023',
    'on the 16th of March 2023',
    'March 16, 2023',
    'MARCH 16th 2023',
  ]) {
    assert.is(datesInQuery(text)?.first, day('2023-03-16'), text);
  }
});

test('a month is all of its days', () => {
  for (const text of ['in March 2023', 'in 2023-03']) {
    const range = datesInQuery(text);
    assert.is(range?.first, day('2023-03-01'));
    assert.ok((range?.last ?? 0) >= day('2023-03-31'));
  }
});

test('a year alone, a month alone and figures name no date', () => {
  for (const text of ['in 2023', 'in March', 'port 2023 is open', '12 of 16', '']) {
    assert.is(datesInQuery(text), undefined, text);
  }
});

test('a dated note carries its day in its name', () => {
  assert.is(dayOfPath('memory/2026-02-03.md'), day('2026-02-03'));
  assert.is(dayOfPath('memory/2026-02-03-meeting.md'), day('2026-02-03'));
  assert.is(dayOfPath('2026-02-03/notes.md'), undefined);
  assert.is(dayOfPath('notes.md'), undefined);
});

test('no text raises an error', () => {
  fc.assert(
    fc.property(anyText, fc.nat(9999), fc.nat(99), (text, year, part) => {
      datesInQuery(`${text} ${year}-${part}-${part} March ${part}, ${year}`);
      dayOfPath(`${text}${year}-${part}-${part}.md`);
    }),
  );
});

test.run();
