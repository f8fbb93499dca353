import type { ParsedComponents } from 'chrono-node';
import { casual } from 'chrono-node/en';
import { type DayRange, dayNumber, daysOverlap, isoDay, oneDay } from '../../support/day.js';
import { MS_PER_DAY } from '../../support/time.js';
import { daysOfChunk, type LexicalCandidate } from '../index/index.js';
import {
  type DateSpan,
  hasDateInWords,
  hasName,
  isWritable,
  type Meanings,
  MONTHS,
  meaningsOf,
  rangeOfDate,
} from './date-span.js';

const WORD_BEFORE = /\S{1,12}\s$/;
const ONLY_NUMBERS = /^[\d\s./:-]+$/;
/** Too long ago for notes. */
const VAGUE = /\byears?\sago\b/i;
const COMING = /\b(?:this|next|coming)\s/i;
const BACKWARDS = /\b(?:last|past|previous)\s/i;
const BACKWARDS_BEFORE = /\b(?:last|past|previous)\s$/i;
const PART_OF_DAY = /morning|afternoon|evening|night/i;
const PART_OF_DATE = /\b(?:morning|afternoon|evening|night)\sof\b/gi;
/** The parser knows periods only with "to". */
const BETWEEN = /\b(between\s.{1,40}?\s)and\b/gi;

/** Without a year, the parser only knows it in a leap year. */
const LEAP_DAY =
  /\b(?:feb(?:ruary)?\.?\s29(?:th)?|29(?:th)?\s(?:of\s)?feb(?:ruary)?)\b(?!,?\s\d{4}\b)/gi;

/** The parser has no such word, but another one for the same. */
const PREVIOUS = /\bprevious\b/gi;
const LAST = 'last'.padEnd('previous'.length);

/** The parser does not know short names of months on their own. */
const MONTH_RANGE = new RegExp(
  `\\b(${MONTHS})(?:\\s(and|to|until|till|through)\\s|\\s?[-–]\\s?)(${MONTHS})\\b(?:\\s(\\d{4})\\b)?(?!\\.?,?\\s\\d)`,
  'gi',
);
/** Without one of these words before it, only a year makes a range of months one. */
const RANGE_BEGINS = /\b(?:between|during|from|in)\s$/i;
const WEEK_OF = /\bweek\s(?:of|beginning|starting)\s(?:on\s)?(?:the\s)?$/i;
const SHORT_MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');

function monthOf(name: string): number {
  return SHORT_MONTHS.indexOf(name.slice(0, 3).toLowerCase()) + 1;
}

/** Periods of whole months, such as "from Nov to Feb 2025". */
function monthRanges(question: string, today: number): DateSpan[] {
  return [...question.matchAll(MONTH_RANGE)].flatMap((match): DateSpan[] => {
    const { 0: text, 1: from = '', 2: word, 3: to = '', 4: inYear, index: start } = match;
    const isAlone = !RANGE_BEGINS.test(question.slice(0, start));
    if (isAlone && (inYear === undefined || word === 'and')) return [];
    const [first, last] = [monthOf(from), monthOf(to)];
    const yearsBetween = last < first ? 1 : 0;
    const begins =
      inYear === undefined
        ? meaningsOf(first, undefined, today)
        : [rangeOfDate(Number(inYear) - yearsBetween, first, undefined)];
    const [latest, ...earlier] = (begins ?? []).flatMap((begin) => {
      if (begin === undefined) return [];
      const year = Number(isoDay(begin.first).slice(0, 4)) + yearsBetween;
      const end = rangeOfDate(year, last, undefined);
      return end === undefined ? [] : [{ first: begin.first, last: end.last }];
    });
    if (latest === undefined) return [];
    return [{ start, end: start + text.length, meanings: [latest, ...earlier], isRelative: false }];
  });
}

/** The dates in a question that are written in English words. */
export function datesInWords(question: string, today: number): DateSpan[] {
  const [year = 0, month = 0, day = 0] = isoDay(today).split('-').map(Number);
  // The parser uses the time zone of the host: noon is the same day in any.
  const reference = new Date(year, month - 1, day, 12);
  // "in the evening of 7 July" is a date, not this evening.
  const parserInput = question
    .replaceAll(PART_OF_DATE, (part) => ' '.repeat(part.length))
    .replaceAll(PREVIOUS, LAST)
    .replaceAll(BETWEEN, '$1to ');
  const leapDays = [...parserInput.matchAll(LEAP_DAY)].flatMap(({ 0: text, index }): DateSpan[] => {
    const meanings = meaningsOf(2, 29, today);
    const end = index + text.length;
    return meanings === undefined ? [] : [{ start: index, end, meanings, isRelative: false }];
  });
  const parsed = casual
    .parse(parserInput, reference)
    .flatMap(({ index, text: { length }, start, end }): DateSpan[] => {
      // Each replacement is as long as what it replaces.
      const text = question.slice(index, index + length);
      const before = WORD_BEFORE.exec(question.slice(0, index))?.[0] ?? '';
      if (ONLY_NUMBERS.test(text) || VAGUE.test(text) || !hasDateInWords(before + text)) return [];
      const isLast = BACKWARDS_BEFORE.test(before);
      const hasYear = end?.isCertain('year') || start.isCertain('year');
      const meanings = meaningsOfWords(start, { text, isLast, hasYear }, today);
      if (meanings === undefined) return [];
      const longer = (days: DayRange): DayRange => ({
        ...days,
        // Null without an end, whatever its type says.
        last: end ? Math.max(days.last, lastDay(days, start, end)) : days.last,
      });
      const weekOf = start.isCertain('day') ? WEEK_OF.exec(question.slice(0, index)) : null;
      const whole = (days: DayRange): DayRange =>
        weekOf === null ? longer(days) : weekFrom(mondayOf(days.first));
      const [latest, ...earlier] = meanings;
      // Before a month, the parser leaves out "last".
      const from = isLast ? index - before.length : index;
      if (!isWritable(whole(latest))) return [];
      return [
        {
          start: weekOf?.index ?? from,
          end: index + text.length,
          meanings: [whole(latest), ...earlier.map(whole)],
          isRelative: !hasName(text),
        },
      ];
    });
  return [...leapDays, ...monthRanges(question, today), ...parsed];
}

/** The last day of a period that begins with some days, which the parser may have read in another year or week. */
function lastDay(
  { first, last }: DayRange,
  start: ParsedComponents,
  end: ParsedComponents,
): number {
  if (start.isCertain('month') && end.isCertain('month')) {
    const years = (end.get('year') ?? 0) - (start.get('year') ?? 0);
    const year = Number(isoDay(first).slice(0, 4)) + years;
    const range = rangeOfDate(year, end.get('month') ?? 0, dateOf(end));
    if (range !== undefined) return range.last;
  }
  return last + (dayOf(end) ?? 0) - (dayOf(start) ?? 0);
}

function dayOf(parsed: ParsedComponents): number | undefined {
  const [year, month, day] = [parsed.get('year'), parsed.get('month'), parsed.get('day')];
  return dayNumber(year ?? 0, month ?? 0, day ?? 0);
}

interface DateWords {
  readonly text: string;
  /** The word before is "last" or the like, which the parser leaves out. */
  readonly isLast: boolean;
  /** Whether one of its sides has a year, which is also that of the other. */
  readonly hasYear: boolean;
}

/** The parser returns a moment: the words tell how long it is. */
function meaningsOfWords(
  parsed: ParsedComponents,
  words: DateWords,
  today: number,
): Meanings | undefined {
  const { text, isLast } = words;
  const day = dayInMonth(parsed, text, today);
  if (day === undefined) return undefined;
  const inWeek = daysInWeek(parsed, day, words, today);
  if (inWeek !== undefined) return [inWeek];
  if (isUntilNow(text)) return [{ first: day, last: today }];
  const [year = 0, month = 0] = isoDay(day).split('-').map(Number);
  const date = dateOf(parsed);
  if (!words.hasYear) {
    if (parsed.isCertain('month')) return meaningsOf(month, date, today, isLast);
    return PART_OF_DAY.test(text) ? [oneDay(day)] : undefined;
  }
  const from = rangeOfDate(year, parsed.isCertain('month') ? month : 1, date);
  const to = parsed.isCertain('month') ? from : rangeOfDate(year, 12, date);
  return from === undefined || to === undefined ? undefined : [{ ...from, last: to.last }];
}

/** The day; where months are counted from the 31st and one has no 31st, the parser returns a day of the next one. */
function dayInMonth(parsed: ParsedComponents, text: string, today: number): number | undefined {
  const day = dayOf(parsed);
  if (day === undefined || !/\bmonths?\b/i.test(text) || /\bthis\s/i.test(text)) return day;
  const dateIn = (one: number): number => new Date(one * MS_PER_DAY).getUTCDate();
  const lastOfMonthBefore = day - dateIn(day);
  const isTooLate = dateIn(day) + dateIn(lastOfMonthBefore) === dateIn(today);
  return isTooLate && !parsed.isCertain('day') ? lastOfMonthBefore : day;
}

/** The weekday, weekend or week; the parser prefers the nearest, past or future. */
function daysInWeek(
  parsed: ParsedComponents,
  day: number,
  { text, isLast }: DateWords,
  today: number,
): DayRange | undefined {
  const isOver = isLast ? day < today : day <= today;
  const back = isOver || COMING.test(text) ? 0 : 7;
  if (/weekend/i.test(text)) {
    // On a Sunday, the parser takes "this weekend" for the next one.
    const saturday = mondayOf(/\bthis\s/i.test(text) ? today : day) + 5 - back;
    return { first: saturday, last: saturday + 1 };
  }
  if (parsed.isCertain('weekday') && !parsed.isCertain('day')) {
    // "Monday last week"
    if (/\blast week\b/i.test(text)) return oneDay(mondayOf(today) - 7 + day - mondayOf(day));
    return oneDay(day - back);
  }
  if (!/\bweeks?\b/i.test(text) || isUntilNow(text)) return undefined;
  const monday = mondayOf(/\bthis\s/i.test(text) ? today : day);
  return weekFrom(/\bbefore\b/i.test(text) ? day : monday);
}

function weekFrom(first: number): DayRange {
  return { first, last: first + 6 };
}

function dateOf(parsed: ParsedComponents): number | undefined {
  return parsed.isCertain('day') ? (parsed.get('day') ?? undefined) : undefined;
}

function mondayOf(day: number): number {
  // Day 0 was a Thursday.
  return day - ((((day + 3) % 7) + 7) % 7);
}

/** "last two weeks". */
function isUntilNow(text: string): boolean {
  return /s$/i.test(text) && BACKWARDS.test(text);
}

/** A passage that is read for dates is shorter; of a longer one, its beginning is enough. */
const MAX_CHARACTERS = 8000;
/** How many lines with dates are parsed per search, each in less than a tenth of a millisecond. */
const MAX_LINES = 400;
/** "last month" says little about one of its days. */
const VAGUER_BY_DAYS = 7;

/**
 * Whether a dated passage mentions some days in words that are relative to its own: "yesterday" in a
 * conversation of 6 May is 5 May. The answers of one search are remembered, and their number is bounded.
 */
export function mentionsOf(targetDays: DayRange): (chunk: LexicalCandidate) => boolean {
  const known = new Map<number, boolean>();
  let lines = 0;
  const mentions = (line: string, dayOfNote: number): boolean =>
    hasDateInWords(line) &&
    lines++ < MAX_LINES &&
    datesInWords(line, dayOfNote).some(({ meanings: [days] }) => {
      const tooVague = days.last - days.first > targetDays.last - targetDays.first + VAGUER_BY_DAYS;
      return !tooVague && daysOverlap(days, targetDays);
    });
  return (chunk) => {
    const earlier = known.get(chunk.chunkId);
    if (earlier !== undefined) return earlier;
    const dayOfNote = daysOfChunk(chunk, chunk)?.first;
    const text = chunk.text.slice(0, MAX_CHARACTERS);
    const isMentioned =
      dayOfNote !== undefined && text.split('\n').some((line) => mentions(line, dayOfNote));
    known.set(chunk.chunkId, isMentioned);
    return isMentioned;
  };
}
