import { SvcError } from '../engine/errors/index.js';
import { isCalendarDay } from '../engine/support/day.js';
import { durationMs } from '../engine/support/time.js';
import { wallClock } from '../engine/support/wall-clock.js';
import { textFlag } from './flags.js';

/** `--since`: a date (`2026-03-01`) or a duration (`2h`). */
export const sinceFlag = textFlag(
  'Show only what was created since a date or for a duration (7d).',
  'WHEN',
);

/** What times in flags are relative to. */
export interface TimeContext {
  readonly nowMs: number;
  /** Of dates without a zone: an IANA name, or undefined for the host's. Only asked for those. */
  userTimeZone(): Promise<string | undefined>;
}

/** The time of `--since` or a similar flag, in milliseconds since the epoch. @throws SvcError USAGE */
export async function readSince(
  text: string | undefined,
  context: TimeContext,
  flag = '--since',
): Promise<number | undefined> {
  if (text === undefined) return undefined;
  const duration = durationMs(text);
  if (duration !== undefined) return context.nowMs - duration;
  const date = await dateMs(text, context);
  if (date !== undefined) return date;
  throw new SvcError(
    'USAGE',
    `${flag} must be a date, a time or a duration such as 7d (got "${text}")`,
    { hint: 'examples: 2026-03-01, 2026-03-01T08:00Z, 30m, 2h' },
  );
}

/** The token file cannot have years of more than four digits. */
const LATEST_MS = Date.UTC(9999, 0);

/**
 * The lifetime of `--expires`: a duration (`90d`) or a date, in milliseconds; undefined for `never`.
 *
 * @throws SvcError USAGE
 */
export async function readLifetime(
  text: string,
  context: TimeContext,
): Promise<number | undefined> {
  if (text === 'never') return undefined;
  const duration = durationMs(text);
  const { nowMs } = context;
  const lifetime = duration ?? ((await dateMs(text, context)) ?? Number.NaN) - nowMs;
  if (nowMs + lifetime >= LATEST_MS) {
    throw new SvcError('USAGE', `--expires must be before the year 9999 (got "${text}")`, {
      hint: 'use "never" for a token that does not expire',
    });
  }
  if (lifetime > 0) return lifetime;
  throw new SvcError(
    'USAGE',
    `--expires must be a duration such as 90d, a future date, or "never" (got "${text}")`,
    { hint: 'examples: 12h, 90d, 2027-06-30, never' },
  );
}

/** A duration such as `10m`, in milliseconds. @throws SvcError USAGE */
export function readDuration(text: string, flag: string): number {
  const duration = durationMs(text);
  if (duration !== undefined) return duration;
  throw new SvcError('USAGE', `${flag} must be a duration such as 10m (got "${text}")`, {
    hint: 'examples: 30s, 10m, 2h, 7d',
  });
}

/** `--older-than`: a duration, or a number of days. */
export function olderThanFlag(summary: string) {
  return textFlag(summary, 'AGE');
}

/** The age of `--older-than`, in milliseconds. @throws SvcError USAGE */
export function readAge(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  return readDuration(/^\d+$/u.test(text) ? `${text}d` : text, '--older-than');
}

const DATE =
  /^(\d{4}-\d{2}-\d{2})(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/iu;

/** A date, midnight without a time; undefined for anything else. */
async function dateMs(text: string, { userTimeZone }: TimeContext): Promise<number | undefined> {
  const [, day, zone] = DATE.exec(text) ?? [];
  // Date.parse takes 30 February for 2 March.
  if (day === undefined || !isCalendarDay(day)) return undefined;
  const hasTime = text.length > day.length;
  const atMs = Date.parse(hasTime && zone === undefined ? `${text}Z` : text);
  if (Number.isNaN(atMs)) return undefined;
  return zone === undefined ? wallClock(await userTimeZone()).firstAt(atMs) : atMs;
}
