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
  return cronOf(frequency, timeZone)
    .nextRuns(count, new Date(afterMs))
    .map((date) => date.getTime());
}

/** The last time that a schedule fires after a moment, and no later than another; undefined if there is none. */
export function lastRun(
  frequency: string,
  timeZone: string | undefined,
  { afterMs, untilMs }: { readonly afterMs: number; readonly untilMs: number },
): number | undefined {
  const cron = cronOf(frequency, timeZone);
  const next = (ms: number): number =>
    cron.nextRun(new Date(ms))?.getTime() ?? Number.POSITIVE_INFINITY;
  let last = next(afterMs);
  if (last > untilMs) return undefined;
  // Halves the time that is left, because there can be very many.
  let endMs = untilMs;
  for (let following = next(last); following <= untilMs; following = next(last)) {
    const middle = next((last + endMs) / 2);
    if (middle <= untilMs) last = middle;
    else {
      endMs = (last + endMs) / 2;
      last = following;
    }
  }
  return last;
}

function cronOf(frequency: string, timeZone: string | undefined): Cron {
  const [, , dayOfMonth = '*', , dayOfWeek = '*'] = frequency.trim().split(/\s+/u);
  return new Cron(frequency, {
    mode: '5-part',
    paused: true,
    // crontab(5): if either day field starts with a star both must match, otherwise one is enough.
    domAndDow: dayOfMonth.startsWith('*') || dayOfWeek.startsWith('*'),
    ...(timeZone !== undefined && { timezone: timeZone }),
  });
}
