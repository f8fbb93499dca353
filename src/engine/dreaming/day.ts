import { MS_PER_DAY } from '../support/time.js';

/**
 * Formats a moment as the day in a time zone, `YYYY-MM-DD`.
 *
 * @param timeZone an IANA name; undefined means the host's
 */
export function dayFormatter(timeZone: string | undefined): (ms: number) => string {
  // Swedish dates have the ISO 8601 format.
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  return (ms) => format.format(ms);
}

export function daysBefore(day: string, days: number): string {
  return new Date(Date.parse(day) - days * MS_PER_DAY).toISOString().slice(0, 10);
}
