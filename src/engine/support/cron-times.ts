import { Cron } from 'croner';
import { parseCron } from './cron.js';
import { wallClock } from './wall-clock.js';

/**
 * The next times a schedule fires, in milliseconds since the epoch, ascending; fewer than `count` if it stops
 * firing. A time skipped by daylight saving fires right after the gap; a repeated one fires once. A schedule for every
 * hour fires by elapsed time instead: nothing of it is skipped or repeated.
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
  const nextAfter = runsOf(frequency, timeZone);
  const runs: number[] = [];
  for (let next = nextAfter(afterMs); next !== undefined; next = nextAfter(next)) {
    runs.push(next);
    if (runs.length >= count) break;
  }
  return runs;
}

/** The last time that a schedule fires after a moment, and no later than another; undefined if there is none. */
export function lastRun(
  frequency: string,
  timeZone: string | undefined,
  { afterMs, untilMs }: { readonly afterMs: number; readonly untilMs: number },
): number | undefined {
  const nextAfter = runsOf(frequency, timeZone);
  const next = (ms: number): number => nextAfter(ms) ?? Number.POSITIVE_INFINITY;
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

const HOURS = 24;

/** The next time that a schedule fires after a moment; undefined if there is none. */
function runsOf(
  frequency: string,
  timeZone: string | undefined,
): (afterMs: number) => number | undefined {
  const parsed = parseCron(frequency);
  if (!parsed.ok) throw new RangeError(`${frequency}: ${parsed.reason}`);
  const { minutes, hours, daysOfMonth, months, daysOfWeek, anyDayOfMonth, anyDayOfWeek } =
    parsed.fields;
  // Lists, because croner knows fewer forms than crontab(5).
  const fields = [minutes, hours, daysOfMonth, months, daysOfWeek].map((set) => [...set].join());
  if (anyDayOfMonth && daysOfMonth.size === LONGEST_MONTH) fields[2] = '*';
  if (anyDayOfWeek && daysOfWeek.size === DAYS_OF_WEEK) fields[4] = '*';
  const cronIn = (timezone: string | undefined): Cron =>
    new Cron(fields.join(' '), {
      mode: '5-part',
      paused: true,
      // crontab(5): if either day field starts with a star both must match, otherwise one is enough.
      domAndDow: anyDayOfMonth || anyDayOfWeek,
      ...(timezone !== undefined && { timezone }),
    });
  if (hours.size === HOURS) {
    const cron = cronIn(timeZone);
    return (afterMs) => cron.nextRun(new Date(afterMs))?.getTime();
  }
  // croner skips and repeats times of schedules with several a day: so it gets times on a clock that never changes.
  const cron = cronIn('UTC');
  const clock = wallClock(timeZone);
  return (afterMs) => {
    for (let wall = cron.nextRun(new Date(clock.wallOf(afterMs))); wall !== null; ) {
      const at = clock.firstAt(wall.getTime());
      // The clock of the second of two equal hours shows times that were before.
      if (at > afterMs) return at;
      wall = cron.nextRun(wall);
    }
    return undefined;
  };
}

const LONGEST_MONTH = 31;
const DAYS_OF_WEEK = 7;
