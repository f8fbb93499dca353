import { type DayRange, dayNumber, isoDay } from '../../support/day.js';
import { MS_PER_DAY } from '../../support/time.js';

/** The days that a date can mean, the most recent first: without a year, those of several years. */
export type Meanings = readonly [DayRange, ...DayRange[]];

/** A date or period in a question. */
export interface DateSpan {
  /** UTF-16 offsets in the question, end excluded. */
  readonly start: number;
  readonly end: number;
  readonly meanings: Meanings;
  /** Its words depend on when they are said (`yesterday`), so notes of that day do not contain them. */
  readonly isRelative: boolean;
}

/** How many years back a date without a year can be. */
const YEARS = 10;

/** Names of months, as part of a pattern. */
export const MONTHS =
  'jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?';

/*
 * What makes a word a date: "may", "march", "sat" and "second" are also something else. Decides whether the
 * parser is loaded, and which of its findings count.
 */
const CUES = [
  /\b(?:yesterday|today|tonight|tomorrow|ago|the\sweekend|(?<!\b(?:each|every)\s)(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|july|september|october|november|december)\b/i,
  /\b(?:last|past|previous|this|next)\s(?:\S{1,12}\s){0,2}(?:night|morning|afternoon|evening|days?|weeks?|weekend|months?|years?|mon|tue|wed|thu|fri|sat|sun)\b/i,
  new RegExp(
    `\\b(?:between|during|early|from|in|last|late|mid|next|of|since|this|until)\\s(?:${MONTHS})\\b`,
    'i',
  ),
  new RegExp(`\\b(?:${MONTHS})\\.?,?\\s\\d|\\d(?:st|nd|rd|th)?\\s(?:of\\s)?(?:${MONTHS})\\b`, 'i'),
];

/** What all cues have one of; compiling them takes milliseconds that most queries need not wait for. */
const CUE_BEGINNING =
  /\d|day|night|morrow|week|month|year|ago|noon|morning|evening|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun/i;

const NAME = new RegExp(`\\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|${MONTHS})\\b`, 'i');

/** Whether a date has a name that notes may contain: of a weekday or a month. */
export function hasName(text: string): boolean {
  return NAME.test(text);
}

/** Whether a text contains a date in words. */
export function hasDateInWords(text: string): boolean {
  return CUE_BEGINNING.test(text) && CUES.some((cue) => cue.test(text));
}

/** A day, or a month without one; undefined if it does not exist. */
export function rangeOfDate(
  year: number,
  month: number,
  day: number | undefined,
): DayRange | undefined {
  const first = dayNumber(year, month, day ?? 1);
  if (first === undefined) return undefined;
  return { first, last: day === undefined ? Date.UTC(year, month, 0) / MS_PER_DAY : first };
}

const FIRST_DAY = Date.parse('0001-01-01') / MS_PER_DAY;
const LAST_DAY = Date.parse('9999-12-31') / MS_PER_DAY;

/** Whether days can be written as ISO dates, with a year of four digits. */
export function isWritable({ first, last }: DayRange): boolean {
  return first >= FIRST_DAY && last <= LAST_DAY;
}

/**
 * A date without a year: the last ones that are not in the future.
 *
 * @param isLast as in "last November": it must be over
 */
export function meaningsOf(
  month: number,
  day: number | undefined,
  today: number,
  isLast = false,
): Meanings | undefined {
  const thisYear = Number(isoDay(today).slice(0, 4));
  const years = Array.from({ length: YEARS + 1 }, (_, back) => thisYear - back);
  const [latest, ...earlier] = years.flatMap((year) => {
    const range = rangeOfDate(year, month, day);
    const isOver = range !== undefined && (isLast ? range.last < today : range.first <= today);
    return isOver ? [range] : [];
  });
  return latest === undefined ? undefined : [latest, ...earlier];
}
