import { safeLine } from './safe-text.js';

/** A due time in its time zone, and how long it is until then. */
export function dueWords(at: string, timeZone: string | null, nowMs: number): string {
  return `${localWords(at, timeZone)}, ${inWords(Date.parse(at) - nowMs)}`;
}

/** When a schedule is due, and each of the next times on a line. @param off why it never runs */
export function renderDueTimes(
  cron: string,
  timeZone: string | null,
  runs: readonly string[],
  { nowMs, off }: { readonly nowMs: number; readonly off: string | undefined },
): string {
  const zone = timeZone === null ? "the host's time zone" : safeLine(timeZone);
  const lines = runs.map(
    (run) => `  ${localWords(run, timeZone)}  ${inWords(Date.parse(run) - nowMs)}`,
  );
  return `${[`${safeLine(cron)} in ${zone}`, ...(off === undefined ? [] : [off]), ...lines].join('\n')}\n`;
}

/** A moment in a time zone: `Fri 2026-11-20 03:00 GMT+1`. */
function localWords(at: string, timeZone: string | null): string {
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
