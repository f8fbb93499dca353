import { MS_PER_DAY } from './time.js';

/**
 * What a clock in a time zone shows, as if it were in UTC.
 *
 * @param timeZone an IANA name; undefined means the host's
 */
export function wallClock(timeZone: string | undefined) {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
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
