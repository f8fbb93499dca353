/** A moment in a time zone: `Fri 2026-11-20 03:00 GMT+1`. */
export function localWords(at: string, timeZone: string | null): string {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: timeZone ?? undefined,
    weekday: 'short',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
  });
  const parts = new Map(format.formatToParts(new Date(at)).map(({ type, value }) => [type, value]));
  const part = (type: Intl.DateTimeFormatPartTypes): string => parts.get(type) ?? '';
  const day = `${part('weekday')} ${part('year')}-${part('month')}-${part('day')}`;
  return `${day} ${part('hour')}:${part('minute')} ${part('timeZoneName')}`;
}

const MINUTE_MS = 60_000;

/** Rough time until then: `in 40 min`, `in 11 h`, `in 3 days`. */
export function inWords(ms: number): string {
  const minutes = Math.max(0, Math.round(ms / MINUTE_MS));
  if (minutes < 60) return `in ${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `in ${hours} h` : `in ${Math.round(hours / 24)} days`;
}
