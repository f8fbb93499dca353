import { type DayRange, dayFormatter } from '../../support/day.js';
import { MS_PER_DAY } from '../../support/time.js';
import type { DatedQuestion, MemoryIndex } from '../index/index.js';
import {
  type DateSpan,
  hasDateInWords,
  type Meanings,
  meaningsOf,
  rangeOfDate,
} from './date-span.js';
import { foldedWordsOf, STOP_WORDS, straightQuotes, type TextSpan } from './words.js';

/** The date that a question asks about. */
export type AskedDate = NonNullable<ReturnType<typeof askedDate>>;

/** The days that a question asks about, and the notes of them. */
export type DatedNotes = Awaited<ReturnType<typeof findDatedNotes>>;

/** Events are often noted and mentioned some days later. */
export const WRITTEN_WITHIN_DAYS = 7;
/** Longer texts are pasted, not asked. */
const LONGEST_QUESTION = 1000;
/** Words of questions about a day that name no topic: "what happened yesterday?" */
const ANY_DAY: ReadonlySet<string> = new Set(
  `all anything everything something new going go went happen happened happening happens work worked
  working note notes noted write written wrote decide decided discuss discussed talk talked learn
  learned finish finished done made make day up`.split(/\s+/),
);

const QUOTED_OR_EXCLUDED = /"[^"]*"?|(?<!\S)-\S+/g;
/**
 * The date that a question asks about: `2026-10-04`, `10/4/2026`, `4.10.2026`, or in English words, relative to
 * now. Without a year, the latest day that is not in the future is meant. Undefined if there is none.
 *
 * @param timeZone an IANA name; undefined means the host's
 */
export async function dateIn(
  query: string,
  nowMs: number,
  timeZone: string | undefined,
): Promise<AskedDate | undefined> {
  if (query.length > LONGEST_QUESTION) return undefined;
  const question = straightQuotes(query).replaceAll(QUOTED_OR_EXCLUDED, (part) =>
    ' '.repeat(part.length),
  );
  const hasWords = hasDateInWords(question);
  if (!hasWords && !/\d[-./]\d/.test(question)) return undefined;
  const today = Date.parse(dayFormatter(timeZone)(nowMs)) / MS_PER_DAY;
  const numbers = datesInNumbers(question, today);
  // Loads the parser only for questions that need it.
  const words = hasWords ? (await import('./dates-in-words.js')).datesInWords(question, today) : [];
  return askedDate(query, [...numbers, ...words], today);
}

/** The latest meaning with notes of its days, else with later notes that mention them, else the latest. */
export async function findDatedNotes(
  { text, meanings, rest }: AskedDate,
  index: Pick<MemoryIndex, 'countDated' | 'datedCandidates'>,
) {
  const { mentionsOf } = await import('./dates-in-words.js');
  const notes = (days: DayRange, chunks: number) => ({
    text,
    days,
    /** How many chunks are dated to these days, or else mention them; without any, no date is searched for. */
    chunks,
    /** Whether a chunk of another day mentions these days, as in "yesterday". */
    isMentionedIn: mentionsOf(days),
    /** Whether the question names nothing but the date. */
    isAlone: asksOnlyForDate(rest),
  });
  for (const days of meanings) {
    const chunks = await index.countDated(days);
    if (chunks > 0) return notes(days, chunks);
  }
  const none = notes(meanings[0], 0);
  const later = await index.datedCandidates({ ...ANY_CHUNK, ...daysAfter(none.days) });
  return { ...none, chunks: later.filter(none.isMentionedIn).length };
}

/** Whether a question asks about nothing but its date. @param rest it without the date */
export function asksOnlyForDate(rest: string): boolean {
  return foldedWordsOf(rest).every((word) => STOP_WORDS.has(word) || ANY_DAY.has(word));
}

const ANY_CHUNK = { match: undefined, mustMatch: false, except: undefined, filter: {} } as const;

/** Where to look for mentions of some days: in chunks of the days after, up to a limit. */
export function daysAfter({ last }: DayRange): Pick<DatedQuestion, 'days' | 'limit'> {
  return { days: { first: last + 1, last: last + WRITTEN_WITHIN_DAYS }, limit: 100 };
}

/* Versions, paths, times and fractions are not dates: they continue, or lack the word that comes before dates. */
const ISO = /(?<![\w./:-])((?:19|20)\d\d)-(\d\d)(?:-(\d\d))?(?![\w/:-]|\.\d)/g;
const DOTTED = /(?<![\w./:-])(\d{1,2})\.(\d{1,2})\.((?:19|20)\d\d)(?![\w/:-]|\.\d)/g;
const SLASHED = /(?<![\w./:-])(\d{1,2})\/(\d{1,2})\/((?:19|20)\d\d)(?![\w/:-]|\.\d)/g;
const SHORT_SLASHED =
  /(?<=\b(?:after|and|before|between|by|from|on|since|to|until)\s)(?!24\/7)(\d{1,2})\/(\d{1,2})(?![\w/:%-]|\.\d)|^(\d{1,2})\/(\d{1,2})(?=\??$)/gi;
const SHORT_DOTTED = /(?<=\b(?:am|bis|seit|vom|zum)\s)(\d{1,2})\.(\d{1,2})\.(?!\S)/gi;

function datesInNumbers(question: string, today: number): DateSpan[] {
  const spans: DateSpan[] = [];
  const find = (pattern: RegExp, rangeOf: (...numbers: number[]) => Meanings | undefined): void => {
    for (const match of question.matchAll(pattern)) {
      const numbers = match.slice(1).flatMap((part) => (part === undefined ? [] : [Number(part)]));
      const meanings = rangeOf(...numbers);
      const { index: start } = match;
      if (meanings === undefined) continue;
      spans.push({ start, end: start + match[0].length, meanings, isRelative: false });
    }
  };
  const inYear = (year: number, month: number, day: number | undefined): Meanings | undefined => {
    const range = rangeOfDate(year, month, day);
    return range === undefined ? undefined : [range];
  };
  // Months come first unless they cannot.
  const isDayFirst = (first: number): boolean => first > 12;
  find(ISO, (year = 0, month = 0, day) => inYear(year, month, day));
  find(DOTTED, (day = 0, month = 0, year = 0) => inYear(year, month, day));
  find(SLASHED, (a = 0, b = 0, year = 0) =>
    isDayFirst(a) ? inYear(year, b, a) : inYear(year, a, b),
  );
  find(SHORT_SLASHED, (a = 0, b = 0) =>
    isDayFirst(a) ? meaningsOf(b, a, today) : meaningsOf(a, b, today),
  );
  find(SHORT_DOTTED, (day = 0, month = 0) => meaningsOf(month, day, today));
  return spans;
}

const RANGE_BEFORE = /\b(?:between|from)\s(?:the\s)?$/i;
/** Where no such word is before two dates, "and" only lists them. */
const RANGE_BETWEEN = /^\s?(?:(?:(and)|to|until|till|through)\s(?:the\s)?|[-–]\s?)$/i;

const SINCE_BEFORE = /\b(?:since|seit)\s(?:the\s)?$/i;
/** Prepositions that belong to a date, and so name no topic. */
const PREPOSITION_BEFORE = /\b(?:between|during|from|in|on|over|seit|since|within)\s(?:the\s)?$/i;

/** One date of several: a period from the first to the second, one until today, or the first. */
function askedDate(query: string, spans: readonly DateSpan[], today: number) {
  // Of two that begin at the same place, the longer one is a period.
  const [one, two] = spans.toSorted((a, b) => a.start - b.start || b.end - a.end);
  if (one === undefined) return undefined;
  const between = RANGE_BETWEEN.exec(query.slice(one.end, two?.start));
  const isPeriod =
    two !== undefined &&
    between !== null &&
    (between[1] === undefined || RANGE_BEFORE.test(query.slice(0, one.start)));
  let { meanings } = one;
  if (isPeriod) meanings = periodOf(one.meanings, two.meanings);
  else if (SINCE_BEFORE.test(query.slice(0, one.start))) {
    const [{ first, last }] = one.meanings;
    meanings = [{ first, last: Math.max(last, today) }];
  }
  const used = isPeriod ? [one, two] : [one];
  const { end } = used.at(-1) ?? one;
  const isRelative = used.every((span) => span.isRelative);
  const text = query.slice(one.start, end);
  const span = { start: one.start, end };
  /** The question without words that belong to the date, or mean another day on another day. */
  const words = replaceDate(query, span, isRelative ? ' ' : text);
  return { text, meanings, words, rest: replaceDate(query, span, ' ') };
}

/** A question without its date and the preposition before it. */
export function withoutDate(query: string, date: string): string {
  const start = query.indexOf(date);
  return replaceDate(query, { start, end: start + date.length }, ' ');
}

function replaceDate(query: string, { start, end }: TextSpan, instead: string): string {
  const before = query.slice(0, start).replace(PREPOSITION_BEFORE, '');
  return `${before}${instead}${query.slice(end)}`;
}

/** Where only one side has a year, the other has the same. */
function periodOf(from: Meanings, to: Meanings): Meanings {
  const fits = from.length === 1 ? to.findLast(({ last }) => last >= from[0].first) : undefined;
  const end = fits ?? to[0];
  const start = from.find(({ first }) => first <= end.last) ?? from[0];
  return [{ first: Math.min(start.first, end.first), last: Math.max(start.last, end.last) }];
}
