/** When the sweeps of the killed child run. */
export const NIGHT = Date.UTC(2026, 10, 20, 3);
/** The daily note that holds the claims. */
export const NOTE = 'memory/2026-11-18.md';

/** A claim that is like no other of them. */
export function claimOf(number: number): string {
  const word = [...String(number)].map((digit) => 'abcdefghij'.charAt(Number(digit))).join('');
  return `Service x${word} keeps q${word} under shelf z${word} of room y${word}.`;
}
