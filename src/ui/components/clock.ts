import { useEffect, useState } from 'react';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;

/**
 * The time, for relative times such as "3 min ago". One call per screen: it is drawn again every second while something
 * shown is younger than a minute, and otherwise every minute.
 *
 * @param now milliseconds since the epoch
 * @param youngest the newest time that is shown
 */
export function useNow(now: () => number, youngest: number | undefined): number {
  const [, setTicks] = useState(0);
  const nowMs = now();
  const isYoung = youngest !== undefined && Math.abs(nowMs - youngest) < MINUTE_MS;
  useEffect(() => {
    const tick = (): void => setTicks((ticks) => ticks + 1);
    const timer = setInterval(tick, isYoung ? SECOND_MS : MINUTE_MS);
    return () => clearInterval(timer);
  }, [isYoung]);
  return nowMs;
}

const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'] as const;
const SPINNER_MS = 100;

/** A sign that turns while work of unknown length runs; still, and without redraws, while none does. */
export function useSpinner(isRunning: boolean): string {
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    if (!isRunning) return undefined;
    const timer = setInterval(() => setTurn((at) => (at + 1) % SPINNER.length), SPINNER_MS);
    return () => clearInterval(timer);
  }, [isRunning]);
  return SPINNER[turn] ?? SPINNER[0];
}
