import { Cron } from 'croner';
import { parseCron } from './cron.js';
import { MS_PER_DAY } from './time.js';

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
  const { minutes, hours, daysOfMonth, months, daysOfWeek, ...any } = parsed.fields;
  // Lists, because croner knows fewer forms than crontab(5).
  const fields = [minutes, hours, daysOfMonth, months, daysOfWeek].map((set) => [...set].join());
  if (any.anyDayOfMonth && daysOfMonth.size === LONGEST_MONTH) fields[2] = '*';
  if (any.anyDayOfWeek && daysOfWeek.size === DAYS_OF_WEEK) fields[4] = '*';
  const cronIn = (timezone: string | undefined): Cron =>
    new Cron(fields.join(' '), {
      mode: '5-part',
      paused: true,
      // crontab(5): if either day field starts with a star both must match, otherwise one is enough.
      domAndDow: any.anyDayOfMonth || any.anyDayOfWeek,
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

/** What a clock in a time zone shows, as if it were in UTC. */
function wallClock(timeZone: string | undefined) {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    ...{ year: 'numeric', month: 'numeric', day: 'numeric' },
    ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
  });
  const wallOf = (ms: number): number => {
    const parts = new Map(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
    const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
    const day = Date.UTC(part('year'), part('month') - 1, part('day'));
    return day + ((part('hour') * 60 + part('minute')) * 60 + part('second')) * 1000;
  };
  const aheadAt = (ms: number): number => wallOf(ms) - ms;
  /** When it first shows a time; for one that it skips, the end of the gap. */
  const firstAt = (wall: number): number => {
    // Time zones change by less than a day, and not on consecutive days.
    const before = wall - aheadAt(wall - MS_PER_DAY);
    const after = wall - aheadAt(wall + MS_PER_DAY);
    const shown = [before, after].filter((ms) => wallOf(ms) === wall);
    if (shown.length > 0) return Math.min(...shown);
    // The change is between these, and they are at most a gap apart.
    let [earlier, later] = [after, before];
    while (later - earlier > 1000) {
      const middle = Math.floor((earlier + later) / 2000) * 1000;
      if (wallOf(middle) < wall) earlier = middle;
      else later = middle;
    }
    return later;
  };
  return { wallOf, firstAt };
}
