import { Cron } from 'croner';

/**
 * When a schedule fires after a moment, in milliseconds since the epoch, ascending; fewer than asked for when
 * it stops firing. A time that a change of the clocks leaves out fires right after the gap; one that comes
 * twice fires once.
 *
 * @param frequency five fields of crontab(5), checked by the configuration
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
    // crontab(5): both day fields must match when one of them begins with a star, else either may.
    domAndDow: dayOfMonth.startsWith('*') || dayOfWeek.startsWith('*'),
    ...(timeZone === undefined ? {} : { timezone: timeZone }),
  });
  return cron.nextRuns(count, new Date(afterMs)).map((date) => date.getTime());
}
