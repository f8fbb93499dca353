/**
 * The day of a moment on the clocks of a time zone, `YYYY-MM-DD`.
 *
 * @param timeZone an IANA name; undefined means the host's
 */
export function dayFormatter(timeZone: string | undefined): (ms: number) => string {
  // The Swedish form of a date is ISO 8601's.
  const format = new Intl.DateTimeFormat('sv-SE', {
    ...(timeZone === undefined ? {} : { timeZone }),
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  return (ms) => format.format(ms);
}

const MS_PER_DAY = 86_400_000;

/** The day so many days before another. */
export function daysBefore(day: string, days: number): string {
  return new Date(Date.parse(day) - days * MS_PER_DAY).toISOString().slice(0, 10);
}
