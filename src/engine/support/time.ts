/**
 * Milliseconds since this process started, by a monotonic clock. The first use of `performance.now()` would
 * take a tenth of the start of a short command.
 */
export function runningMs(): number {
  return process.uptime() * 1000;
}

/** Milliseconds since a {@link runningMs}, to the hundredth, as JSON documents have them. */
export function msSince(startedMs: number): number {
  return Math.round((runningMs() - startedMs) * 100) / 100;
}

/** Clocks do not drift this much between two checks. */
const JUMP_MS = 1000;

/** A jump of the wall clock: it was set, or the machine was suspended. */
export interface ClockJump {
  /** The time after the jump, epoch milliseconds. */
  readonly atMs: number;
  /** How far; negative when the clock was set back. */
  readonly byMs: number;
}

/**
 * Detects jumps of the wall clock by comparing it with a monotonic one.
 *
 * @returns the jump since its last call, if there was one
 */
export function jumpDetector(
  wallMs: () => number,
  steadyMs: () => number = runningMs,
): () => ClockJump | undefined {
  let aheadMs = wallMs() - steadyMs();
  return () => {
    const atMs = wallMs();
    const byMs = atMs - steadyMs() - aheadMs;
    if (Math.abs(byMs) <= JUMP_MS) return undefined;
    aheadMs += byMs;
    return { atMs, byMs };
  };
}

/** A time as JSON documents have it. */
export function iso(ms: number): string {
  return new Date(ms).toISOString();
}

export const MS_PER_HOUR = 3_600_000;
export const MS_PER_DAY = 24 * MS_PER_HOUR;

/** The units of durations that people write, such as `90s`. `m` is minutes everywhere: months have no unit. */
export const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: MS_PER_HOUR,
  d: MS_PER_DAY,
  w: 7 * MS_PER_DAY,
  y: 365 * MS_PER_DAY,
};

/** A duration in a flag or filter, such as `30m` or `7d`, in milliseconds; undefined for other text. */
export function durationMs(text: string): number | undefined {
  // So many years are no longer a date.
  const [, amount, unit = ''] = /^(?!\d{6}y)(\d{1,6})([smhdwy])$/u.exec(text) ?? [];
  const unitMs = UNIT_MS[unit];
  return amount === undefined || unitMs === undefined ? undefined : Number(amount) * unitMs;
}

/** See {@link isFarAhead}. */
export const MOST_AHEAD_MS = 3 * MS_PER_HOUR;

/** Whether a recorded time is so far ahead that the clock must have been wrong when it was recorded. */
export function isFarAhead(recordedMs: number, nowMs: number): boolean {
  return recordedMs > nowMs + MOST_AHEAD_MS;
}

/** Whether something began at most so long ago. What is ahead of now began before the clock was set back. */
export function isWithin(sinceMs: number, nowMs: number, lengthMs: number): boolean {
  return sinceMs <= nowMs && nowMs < sinceMs + lengthMs;
}

/** Timers with more milliseconds fire at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The pause after a number of failures: doubles with each, up to the longest. */
export function backoffMs(failures: number, firstMs: number, longestMs: number): number {
  return Math.min(longestMs, firstMs * 2 ** Math.max(0, failures - 1));
}
