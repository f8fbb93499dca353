import { useEffect, useState } from 'react';

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
