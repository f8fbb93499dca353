import { MS_PER_DAY } from './time.js';

/** Days since 1970-01-01, both ends included. */
export interface DayRange {
  readonly first: number;
  readonly last: number;
}

/** A range of one day, as a day number. */
export function oneDay(day: number): DayRange {
  return { first: day, last: day };
}

/** Whether two ranges have a day in common. */
export function daysOverlap(a: DayRange, b: DayRange): boolean {
  return a.first <= b.last && b.first <= a.last;
}

/**
 * Formats a moment as the day in a time zone, `YYYY-MM-DD`.
 *
 * @param timeZone an IANA name; undefined means the host's
 */
export function dayFormatter(timeZone: string | undefined): (ms: number) => string {
  // The first use of Intl.DateTimeFormat takes 12 ms.
  if (timeZone === undefined) return hostDay;
  // Swedish dates have the ISO 8601 format.
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  return (ms) => format.format(ms);
}

function hostDay(ms: number): string {
  const date = new Date(ms);
  const digits = (number: number, count: number): string => String(number).padStart(count, '0');
  const monthDay = `${digits(date.getMonth() + 1, 2)}-${digits(date.getDate(), 2)}`;
  return `${digits(date.getFullYear(), 4)}-${monthDay}`;
}

export function daysBefore(day: string, days: number): string {
  return new Date(Date.parse(day) - days * MS_PER_DAY).toISOString().slice(0, 10);
}

/**
 * The number of a calendar day; undefined if there is no such day.
 *
 * @param month 1 to 12
 */
export function dayNumber(year: number, month: number, day: number): number | undefined {
  const date = new Date(Date.UTC(year, month - 1, day));
  const exists = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return exists ? date.getTime() / MS_PER_DAY : undefined;
}

/** Whether the calendar has a day. @param day `YYYY-MM-DD` */
export function isCalendarDay(day: string): boolean {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number);
  return dayNumber(year, month, date) !== undefined;
}

/** The day with a number, `YYYY-MM-DD`. */
export function isoDay(day: number): string {
  return new Date(day * MS_PER_DAY).toISOString().slice(0, 10);
}
