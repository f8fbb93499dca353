import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type AskedDate, dateIn } from '../../../../src/engine/memory/search/dates.js';
import { isoDay } from '../../../../src/engine/support/day.js';
import { anyText } from '../../../support/markdown.js';

const test = suite('dates in questions');

/** A Wednesday. */
const NOW = Date.parse('2026-10-07T12:00:00Z');

const dateAskedIn = (question: string, now = NOW): Promise<AskedDate | undefined> =>
  dateIn(question, now, 'UTC');

async function daysIn(question: string, now = NOW): Promise<string | undefined> {
  const date = await dateAskedIn(question, now);
  if (date === undefined) return undefined;
  const [{ first, last }] = date.meanings;
  return first === last ? isoDay(first) : `${isoDay(first)}..${isoDay(last)}`;
}

async function eachMeans(table: Readonly<Record<string, string | undefined>>): Promise<void> {
  for (const [question, days] of Object.entries(table)) {
    assert.is(await daysIn(question), days, question);
  }
}

test('a day is understood however it is written', () =>
  eachMeans({
    'what happened on 2023-03-16?': '2023-03-16',
    'on 16 March 2023': '2023-03-16',
    'on the 16th of March 2023': '2023-03-16',
    'March 16, 2023': '2023-03-16',
    'MARCH 16th 2023': '2023-03-16',
    '4.10.2026': '2026-10-04',
    '10/4/2026': '2026-10-04',
    '13/9/2026': '2026-09-13',
    '10/4': '2026-10-04',
    'on February 29': '2024-02-29',
    'the 29th of Feb': '2024-02-29',
    'on Feb 29, 2020': '2020-02-29',
    'from February 27 to February 29': '2024-02-27..2024-02-29',
    'what did I do on 10/4?': '2026-10-04',
    'was am 4.10. geschah': '2026-10-04',
    'the evening of 7 July 2026': '2026-07-07',
  }));

test('relative days and periods depend on now', () =>
  eachMeans({
    'what did I work on yesterday': '2026-10-06',
    'the day before yesterday': '2026-10-05',
    'three days ago': '2026-10-04',
    'last night': '2026-10-06',
    'this morning': '2026-10-07',
    tomorrow: '2026-10-08',
    'last Tuesday': '2026-10-06',
    'on Tuesday': '2026-10-06',
    'on Friday': '2026-10-02',
    'this Friday': '2026-10-09',
    'Monday last week': '2026-09-28',
    'last week': '2026-09-28..2026-10-04',
    'this week': '2026-10-05..2026-10-11',
    'two weeks ago': '2026-09-21..2026-09-27',
    'last weekend': '2026-10-03..2026-10-04',
    'on the weekend': '2026-10-03..2026-10-04',
    'this month': '2026-10-01..2026-10-31',
    'last month': '2026-09-01..2026-09-30',
    'the previous month': '2026-09-01..2026-09-30',
    'previous week': '2026-09-28..2026-10-04',
    'since the previous month': '2026-09-01..2026-10-07',
    'last year': '2025-01-01..2025-12-31',
    'the last two weeks': '2026-09-23..2026-10-07',
  }));

test('months are counted in the calendar from any day', async () => {
  for (const [now, question, days] of [
    ['2026-12-31', 'last month', '2026-11-01..2026-11-30'],
    ['2026-12-31', 'this month', '2026-12-01..2026-12-31'],
    ['2026-03-30', 'since last month', '2026-02-01..2026-03-30'],
    ['2026-01-31', 'two months ago', '2025-11-01..2025-11-30'],
    ['2026-01-31', 'next month', '2026-02-01..2026-02-28'],
    ['2026-04-30', 'the last two months', '2026-02-28..2026-04-30'],
    ['2024-03-31', 'the last month', '2024-02-01..2024-02-29'],
  ] as const) {
    assert.is(await daysIn(question, Date.parse(now)), days, `${now}: ${question}`);
  }
});

test('this weekend is the one of this week', async () => {
  for (const day of ['2026-10-05', '2026-10-10', '2026-10-11']) {
    const days = await daysIn('what did I do this weekend', Date.parse(day));
    assert.is(days, '2026-10-10..2026-10-11', day);
  }
});

test('a period ends with the last day of what is named', () =>
  eachMeans({
    'from January to February': '2026-01-01..2026-02-28',
    'from November to January': '2025-11-01..2026-01-31',
    'from February 27 to March 2': '2026-02-27..2026-03-02',
    'from Jan 2025 to Feb 3, 2026': '2025-01-01..2026-02-03',
    'from October 3 to October 5, 2025': '2025-10-03..2025-10-05',
    'from last week to yesterday': '2026-09-28..2026-10-06',
    'from last month to yesterday': '2026-09-01..2026-10-06',
    'from Friday to Monday': '2026-10-02..2026-10-05',
    'between February and April': '2026-02-01..2026-04-30',
    'between March and now': '2026-03-01..2026-10-07',
    'between 2026-10-01 and yesterday': '2026-10-01..2026-10-06',
    'from 2026-10-01 to yesterday': '2026-10-01..2026-10-06',
    'what happened 29999 months ago': undefined,
  }));

test('since a date means until today', () =>
  eachMeans({
    'what changed since Monday': '2026-10-05..2026-10-07',
    'since last Tuesday': '2026-10-06..2026-10-07',
    'since last November': '2025-11-01..2026-10-07',
    'since the previous November': '2025-11-01..2026-10-07',
    'what did we decide since March?': '2026-03-01..2026-10-07',
    'since 2026-09-30': '2026-09-30..2026-10-07',
    'was geschah seit 4.10.': '2026-10-04..2026-10-07',
    'since yesterday': '2026-10-06..2026-10-07',
  }));

test('the words before a date, and those between two, are no topics', async () => {
  for (const [question, rest] of Object.entries({
    'what did I do since yesterday': 'what did I do',
    'what changed since Monday': 'what changed',
    'what happened within the last three days': 'what happened',
    'what did I do over the weekend': 'what did I do',
    'what happened between October 1 and October 4': 'what happened',
    'what happened last March': 'what happened',
    'what did I do since last March': 'what did I do',
    'a rule since forever, on Monday': 'a rule since forever,',
  })) {
    assert.is((await dateAskedIn(question))?.rest.trim(), rest, question);
  }
  assert.is((await dateAskedIn('what changed since Monday'))?.words, 'what changed Monday');
});

test('only the date itself is taken out, not the same words elsewhere', async () => {
  for (const [question, words] of Object.entries({
    '"last week" column last week': '"last week" column',
    '-today list of today': '-today list of',
    'todays list today': 'todays list',
  })) {
    assert.is((await dateAskedIn(question))?.words.trim(), words, question);
  }
});

test('"last" before a month or weekday means one that is over', async () => {
  const onSunday = Date.parse('2026-11-22T12:00:00Z');
  for (const [question, day] of Object.entries({
    'what did I do last November': '2025-11-01',
    'in the previous November': '2025-11-01',
    'last November 22': '2025-11-22',
    'last November 21': '2026-11-21',
    'last October': '2026-10-01',
    'in November': '2026-11-01',
    'last Sunday': '2026-11-15',
    'the previous Sunday': '2026-11-15',
    'the previous Saturday': '2026-11-21',
    'on Sunday': '2026-11-22',
  })) {
    const date = await dateIn(question, onSunday, 'UTC');
    assert.is(isoDay(date?.meanings[0].first ?? 0), day, question);
  }
});

test('a day without a four-digit year is not a date', () =>
  eachMeans({
    '99999999 days ago': undefined,
    '999999 days ago': undefined,
    '5000000 weeks ago': undefined,
    '999999999 days from now': undefined,
    '9999 days ago': '1999-05-23',
  }));

test('without a year, the latest date that is not in the future is meant', async () => {
  await eachMeans({
    'what did I do on October 1': '2026-10-01',
    'Oct 4': '2026-10-04',
    'on October 20': '2025-10-20',
    'in March': '2026-03-01..2026-03-31',
    'in October': '2026-10-01..2026-10-31',
    'in December': '2025-12-01..2025-12-31',
    'Dec 30 - Jan 2': '2025-12-30..2026-01-02',
  });
  const date = await dateAskedIn('in March');
  assert.is(isoDay(date?.meanings[1]?.first ?? 0), '2025-03-01', 'then the years before');
});

test('a month is all of its days, and two dates are a period', () =>
  eachMeans({
    'in March 2023': '2023-03-01..2023-03-31',
    'in 2023-02': '2023-02-01..2023-02-28',
    'between Oct 1 and Oct 4': '2026-10-01..2026-10-04',
    'between Feb and Apr 2025': '2025-02-01..2025-04-30',
    'from Nov to Feb 2025': '2024-11-01..2025-02-28',
    'Feb-Apr 2025': '2025-02-01..2025-04-30',
    'Feb and Apr 2025': '2025-04-01..2025-04-30',
    'between 3 and 5 October': '2026-10-03..2026-10-05',
    'in the week of October 1': '2026-09-28..2026-10-04',
    'the week beginning on May 5 2025': '2025-05-05..2025-05-11',
    'the week of rain in March': '2026-03-01..2026-03-31',
    'in Feb–Apr': '2026-02-01..2026-04-30',
    'from Dec to Jan': '2025-12-01..2026-01-31',
    'between August 11 and August 15 2023': '2023-08-11..2023-08-15',
    'from 2026-10-01 to 2026-10-03': '2026-10-01..2026-10-03',
    'notes 2026-09-01 to 2026-09-03': '2026-09-01..2026-09-03',
    '1.9.2026 - 3.9.2026': '2026-09-01..2026-09-03',
    '9/1/2026–9/3/2026': '2026-09-01..2026-09-03',
    '2026-08 until 2026-09': '2026-08-01..2026-09-30',
    '2026-09-01 and 2026-09-03': '2026-09-01',
    'from Monday to Wednesday': '2026-10-05..2026-10-07',
  }));

test('an ambiguous text is not a date', async () => {
  for (const question of [
    'in 2023',
    'port 2023 is open',
    '12 of 16',
    'may I deploy this',
    'we march on',
    'sun screen',
    'I sat down',
    'the second one',
    'mon ami',
    'every Tuesday',
    'release 1.2.3',
    'version 10.4.2026.1',
    'src/10/4',
    'a ratio of 10/4 or so',
    'on 24/7 support',
    '192.168.10.2026',
    '2026-13-45',
    'at 10:30',
    '"last week"',
    '“last week”',
    '-yesterday',
    'what is this error in the next function',
    '',
  ]) {
    assert.is(await daysIn(question), undefined, question);
  }
});

test('relative words are not searched for, names of months and days are', async () => {
  const last = await dateAskedIn('what did Anna say about the invoice last week');
  assert.is(last?.text, 'last week');
  assert.is(last?.words.trim(), 'what did Anna say about the invoice');
  const named = await dateAskedIn('the invoice of October 1');
  assert.is(named?.words, 'the invoice of October 1');
  assert.is(named?.rest.trim(), 'the invoice of');
});

test('the day is that of the time zone', async () => {
  const late = Date.parse('2026-10-07T22:30:00Z');
  const day = async (zone: string): Promise<string> =>
    isoDay((await dateIn('yesterday', late, zone))?.meanings[0].first ?? 0);
  assert.is(await day('UTC'), '2026-10-06');
  assert.is(await day('Europe/Berlin'), '2026-10-07');
  assert.is(await day('America/Los_Angeles'), '2026-10-06');
});

test('no text raises an error or takes long', async () => {
  const words = fc.constantFrom(
    'last',
    'Oct',
    '1',
    '/',
    '-',
    'to',
    'week',
    'ago',
    '2026-10-04',
    '12:',
  );
  const dated = fc.array(words, { maxLength: 300 }).map((parts) => parts.join(' '));
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(anyText, dated),
      fc.nat(9999),
      fc.nat(99),
      async (text, year, part) => {
        const date = await dateAskedIn(`${text} ${year}-${part}-${part} March ${part}, ${year}`);
        for (const { first, last } of date?.meanings ?? []) {
          assert.ok(Number.isInteger(first) && first <= last);
        }
      },
    ),
  );
  assert.is(
    await dateAskedIn('last week '.repeat(2000)),
    undefined,
    'a pasted text asks for no date',
  );
});

test.run();
