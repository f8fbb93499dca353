import { cpuMs } from '../fuzz/cpu-time.js';

/** A text of any length: a part repeated between a start and an end. */
export interface GrowingText {
  readonly head: string;
  /** Not empty. */
  readonly part: string;
  readonly tail: string;
}

const LEAST_CHARS = 1024;
/** Shorter times are not measured more precisely. */
const SLOW_MS = 30;
/** Longer times are sufficient to judge. */
const LONGEST_MS = 2000;
const TRIES = 3;
/** For what looks too slow: a machine that is busy elsewhere can spoil a few in a row, growth spoils all. */
const MOST_TRIES = 20;
/** For four times the text, n log n takes less than five times as long, n² sixteen times. */
const STEP = 4;
const MOST_GROWTH = 9;

/** A growing text of at least this length. */
function textOfLength({ head, part, tail }: GrowingText, chars: number): string {
  return head + part.repeat(Math.ceil(chars / part.length)) + tail;
}

/**
 * Measures CPU time for texts that double in length, up to a limit.
 *
 * @throws Error if it grows faster than n log n
 */
export function requireLinear(
  work: (text: string) => void,
  growing: GrowingText,
  mostChars: number,
): void {
  for (let chars = LEAST_CHARS; chars <= mostChars; chars *= 2) {
    const ms = timeOf(work, textOfLength(growing, chars));
    if (ms < SLOW_MS) continue;
    // The minimum of several tries: other load only adds time.
    let after = ms;
    let before = Number.POSITIVE_INFINITY;
    const growsFast = (): boolean =>
      after >= SLOW_MS && after / Math.max(before, 0.5) > MOST_GROWTH;
    for (let tries = 0; tries < TRIES || (tries < MOST_TRIES && growsFast()); tries++) {
      after = Math.min(after, timeOf(work, textOfLength(growing, chars)));
      before = Math.min(before, timeOf(work, textOfLength(growing, chars / STEP), STEP) / STEP);
    }
    if (growsFast()) {
      throw new Error(
        `${chars} characters of ${JSON.stringify(growing.part)} took ${after.toFixed(1)} ms, ` +
          `a quarter of them ${before.toFixed(1)} ms`,
      );
    }
    if (ms > LONGEST_MS) return;
  }
}

/** Several times for a short text: on its own, it would leave too little garbage for the collector to run. */
function timeOf(work: (text: string) => void, text: string, times = 1): number {
  const started = cpuMs();
  for (let time = 0; time < times; time++) work(text);
  return cpuMs() - started;
}
