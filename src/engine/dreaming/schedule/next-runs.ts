import { Cron } from 'croner';

/**
 * The next times a schedule fires, in milliseconds since the epoch, ascending; fewer than `count` if it stops
 * firing. A time skipped by daylight saving fires right after the gap; a repeated one fires once.
 *
 * @param frequency five crontab(5) fields, validated by the configuration
 * @param timeZone an IANA name; undefined means the host's
 */
export function nextRuns(
  frequency: string,
  timeZone: string | undefined,
  afterMs: number,
  count: number,
): number[] {
  const [, , dayOfMonth = '*', , dayOfWeek = '*'] = frequency.trim().split(/\s+/u);
  const cron = new Cron(frequency, {
    mode: '5-part',
    paused: true,
    // crontab(5): if either day field starts with a star both must match, otherwise one is enough.
    domAndDow: dayOfMonth.startsWith('*') || dayOfWeek.startsWith('*'),
    ...(timeZone !== undefined && { timezone: timeZone }),
  });
  return cron.nextRuns(count, new Date(afterMs)).map((date) => date.getTime());
}
