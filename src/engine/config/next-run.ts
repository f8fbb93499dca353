import type { CronFields } from './cron.js';

/** Far enough for a 29 February that a century skips. */
const MOST_DAYS = 366 * 9;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/**
 * When a schedule fires next after a moment, on the clocks of a time zone. A time that a change of
 * the clocks leaves out that day is passed over.
 *
 * @param timeZone an IANA name; undefined means the host's
 * @returns milliseconds since the epoch; undefined when it never fires
 */
export function nextRun(
  fields: CronFields,
  afterMs: number,
  timeZone: string | undefined,
): number | undefined {
  const wallClock = wallClockOf(timeZone);
  const start = wallClock(afterMs);
  for (let day = 0; day <= MOST_DAYS; day++) {
    const midnight = Math.floor(start / DAY_MS) * DAY_MS + day * DAY_MS;
    if (!isDayOf(fields, new Date(midnight))) continue;
    for (const hour of sorted(fields.hours)) {
      for (const minute of sorted(fields.minutes)) {
        const wall = midnight + (hour * 60 + minute) * MINUTE_MS;
        const at = fromWall(wall, wallClock);
        if (at !== undefined && at > afterMs) return at;
      }
    }
  }
  return undefined;
}

function isDayOf(fields: CronFields, day: Date): boolean {
  if (!fields.months.has(day.getUTCMonth() + 1)) return false;
  const byDate = fields.daysOfMonth.has(day.getUTCDate());
  const byWeekday = fields.daysOfWeek.has(day.getUTCDay());
  // crontab(5): with both fields given either may match.
  return fields.anyDayOfMonth || fields.anyDayOfWeek ? byDate && byWeekday : byDate || byWeekday;
}

/** What the clocks of a zone show, written as if it were UTC. */
type WallClock = (ms: number) => number;

function wallClockOf(timeZone: string | undefined): WallClock {
  const format = new Intl.DateTimeFormat('en-US', {
    ...(timeZone === undefined ? {} : { timeZone }),
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return (ms) => {
    const parts = new Map(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
    const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
    return Date.UTC(
      part('year'),
      part('month') - 1,
      part('day'),
      part('hour'),
      part('minute'),
      part('second'),
    );
  };
}

/** The first moment at which the clocks show a time; undefined when they never do. */
function fromWall(wall: number, wallClock: WallClock): number | undefined {
  // No zone is further than a day from UTC, and clocks change by hours at most.
  const offsets = [wall - DAY_MS, wall + DAY_MS].map((ms) => wallClock(ms) - ms);
  const moments = offsets.map((offset) => wall - offset).filter((ms) => wallClock(ms) === wall);
  return moments.length === 0 ? undefined : Math.min(...moments);
}

function sorted(values: ReadonlySet<number>): readonly number[] {
  return [...values].sort((a, b) => a - b);
}
