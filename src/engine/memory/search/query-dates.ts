/** Days since 1970-01-01 (UTC), both ends included. */
export interface DayRange {
  readonly first: number;
  readonly last: number;
}

const MONTHS = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
];
const MS_PER_DAY = 86_400_000;

const ISO_DATE = /\b((?:19|20)\d\d)-(\d\d)(?:-(\d\d))?\b/;
const MONTH = new RegExp(`\\b(${MONTHS.join('|')})\\b`, 'i');
const YEAR = /\b(?:19|20)\d\d\b/;

/** Notes are written on the day or soon after it. */
const WRITTEN_WITHIN_DAYS = 7;

/**
 * The days that a question speaks of, when it names a month of a year ("on 16 March 2023",
 * "2023-03"), widened by the week in which a note of it would be written.
 */
export function datesInQuery(query: string): DayRange | undefined {
  const iso = ISO_DATE.exec(query);
  if (iso !== null) return daysOf(Number(iso[1]), Number(iso[2]) - 1, Number(iso[3] ?? 0));
  const month = MONTH.exec(query)?.[1];
  const year = YEAR.exec(query)?.[0];
  if (month === undefined || year === undefined) return undefined;
  const day = new RegExp(
    `\\b(\\d{1,2})(?:st|nd|rd|th)?(?: of)? ${month}\\b|\\b${month} (\\d{1,2})(?!\\d)`,
    'i',
  ).exec(query);
  const index = MONTHS.indexOf(month.toLowerCase());
  return daysOf(Number(year), index, Number(day?.[1] ?? day?.[2] ?? 0));
}

/** The day that a dated note's name carries (`memory/2026-02-03.md`); undefined for others. */
export function dayOfPath(path: string): number | undefined {
  const match = /(\d{4})-(\d\d)-(\d\d)[^/]*$/.exec(path);
  if (match === null) return undefined;
  return Date.UTC(Number(match[1]), Number(match[2]) - 1, Number(match[3])) / MS_PER_DAY;
}

/** @param day 0 means the whole month */
function daysOf(year: number, month: number, day: number): DayRange {
  const first = Date.UTC(year, month, day === 0 ? 1 : day) / MS_PER_DAY;
  const end = day === 0 ? Date.UTC(year, month + 1, 0) / MS_PER_DAY : first;
  return { first, last: end + WRITTEN_WITHIN_DAYS };
}
