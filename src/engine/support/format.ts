import { MS_PER_DAY, MS_PER_HOUR } from './time.js';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;

/** A whole number with thousands separators: `1,283`. */
export function formatCount(count: number): string {
  // The first use of Intl.NumberFormat would take a tenth of the start of a short command.
  return (Math.round(count) || 0).toString().replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
}

/** A count with its noun: `1 file`, `2 files`. */
export function formatCountOf(count: number, singular: string, plural = `${singular}s`): string {
  return `${formatCount(count)} ${count === 1 ? singular : plural}`;
}

/** A size in decimal units: `812 B`, `16.1 MB`. */
export function formatBytes(bytes: number): string {
  let value = Math.max(0, bytes);
  if (value < 1000) return `${Math.round(value)} B`;
  for (const unit of ['kB', 'MB', 'GB']) {
    value /= 1000;
    // 999.95 kB would print as 1000.0 kB.
    if (value < 999.95) return `${value.toFixed(1)} ${unit}`;
  }
  return `${formatCount(value / 1000)} TB`;
}

/** A rounded count with its noun: `1 token`, `212k tokens`. */
export function formatShortCountOf(count: number, singular: string): string {
  return `${formatShortCount(count)} ${Math.round(count) === 1 ? singular : `${singular}s`}`;
}

/** A rounded count: `812`, `212k`, `1.3M`. */
export function formatShortCount(count: number): string {
  const rounded = Math.max(0, Math.round(count));
  if (rounded < 1000) return String(rounded);
  // 999,950 would print as 1000k.
  if (rounded < 999_500) {
    const thousands = rounded / 1000;
    return `${thousands < 9.95 ? thousands.toFixed(1) : Math.round(thousands)}k`;
  }
  return `${(rounded / 1e6).toFixed(1)}M`;
}

/** A duration: `4 ms`, `0.3 s`, `12.4 s`, `3 min 05 s`, `1 h 02 min`, `40 days 01 h`. */
export function formatDuration(ms: number): string {
  if (ms < 100) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < MINUTE_MS - 50) return `${(ms / SECOND_MS).toFixed(1)} s`;
  const seconds = Math.round(ms / SECOND_MS);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${pad2(seconds % 60)} s`;
  const minutes = Math.round(ms / MINUTE_MS);
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ${pad2(minutes % 60)} min`;
  const hours = Math.round(ms / MS_PER_HOUR);
  return `${formatCount(Math.floor(hours / 24))} days ${pad2(hours % 24)} h`;
}

/** Remaining time: `0:41`, `1:02:03`. */
export function formatEta(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / SECOND_MS));
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  const tail = pad2(seconds % 60);
  return hours > 0 ? `${hours}:${pad2(minutes)}:${tail}` : `${minutes}:${tail}`;
}

/** A rate: `8,214 chunks/s`; one decimal below ten, and per minute if that would be 0.0. */
export function formatRate(perSecond: number, noun: string): string {
  const isSlow = perSecond > 0 && perSecond < 0.05;
  const rate = isSlow ? perSecond * 60 : perSecond;
  const number = rate > 0 && rate < 9.95 ? rate.toFixed(1) : formatCount(Math.max(0, rate));
  return `${number} ${noun}/${isSlow ? 'min' : 's'}`;
}

/**
 * `just now`, `3 min ago`, `2 days ago`, `in 2 days`. Times up to a day in the future count as now, since clocks
 * differ. Both times are milliseconds since the epoch.
 */
export function formatRelativeTime(atMs: number, nowMs: number): string {
  const ago = nowMs - atMs;
  if (ago <= -MS_PER_DAY) return `in ${formatCountOf(Math.floor(-ago / MS_PER_DAY), 'day')}`;
  if (ago < 10 * SECOND_MS) return 'just now';
  if (ago < MINUTE_MS) return `${Math.floor(ago / SECOND_MS)} s ago`;
  if (ago < MS_PER_HOUR) return `${Math.floor(ago / MINUTE_MS)} min ago`;
  if (ago < MS_PER_DAY) return `${Math.floor(ago / MS_PER_HOUR)} h ago`;
  return `${formatCountOf(Math.floor(ago / MS_PER_DAY), 'day')} ago`;
}

/** Time until a moment, as `in 40 s`, `in 5 min`, `in 11 h` or `in 3 days`; `now` if it has passed meanwhile. */
export function formatTimeUntil(atMs: number, nowMs: number): string {
  const ms = atMs - nowMs;
  if (ms <= 0) return 'now';
  const seconds = Math.ceil(ms / SECOND_MS);
  if (seconds < 120) return `in ${seconds} s`;
  const minutes = Math.round(ms / MINUTE_MS);
  if (minutes < 60) return `in ${minutes} min`;
  const hours = Math.round(ms / MS_PER_HOUR);
  return hours < 48 ? `in ${hours} h` : `in ${formatCount(ms / MS_PER_DAY)} days`;
}

/** File permissions in octal: `0600`. */
export function formatMode(mode: number): string {
  return (mode & 0o7777).toString(8).padStart(4, '0');
}

function pad2(value: number): string {
  return value.toString().padStart(2, '0');
}

/** A time of day: `09:05:00`, in the local time zone. */
export function formatClock(atMs: number): string {
  const date = new Date(atMs);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(pad2).join(':');
}

/** A minute in a time zone, for people: `Fri 2026-11-20 03:00 GMT+1`. @param timeZone default: the host's */
export function zonedMinute(ms: number, timeZone: string | undefined): string {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'short',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
  });
  const parts = new Map(format.formatToParts(ms).map(({ type, value }) => [type, value]));
  const part = (type: Intl.DateTimeFormatPartTypes): string => parts.get(type) ?? '';
  const day = `${part('weekday')} ${part('year')}-${part('month')}-${part('day')}`;
  return `${day} ${part('hour')}:${part('minute')} ${part('timeZoneName')}`;
}

/** Who says a turn of a conversation, in its indexed lines and for people. */
export function speaker(role: 'assistant' | 'user'): string {
  return role === 'user' ? 'User' : 'Assistant';
}

/** `cohere/rerank-v3.5`, `local/reranker.gguf`: of a model that is given by its path, only the name of the file. */
export function formatModel(provider: string, model: string | null | undefined): string {
  if (model === null || model === undefined) return provider;
  return `${provider}/${model.replace(/^[/~.].*\//u, '')}`;
}
