import { resolveConfig } from '../../../../src/engine/config/index.js';

/** Room for four entries, so that almost every sweep retires one. */
export const MAX_CHARS = 1000;

/** Settings with a small budget, and without a limit of promotions. */
export function tightSettings() {
  const { dreaming } = resolveConfig({}).plugins.entries['memory-core'].config;
  const deep = { ...dreaming.phases.deep, limit: 1000, maxMemoryChars: MAX_CHARS };
  return { ...dreaming, phases: { ...dreaming.phases, deep } };
}

/** When the sweeps of the killed child run. */
export const NIGHT = Date.UTC(2026, 10, 20, 3);
/** The daily note that holds the claims. */
export const NOTE = 'memory/2026-11-18.md';

/** A claim that is like no other of them. */
export function claimOf(number: number): string {
  const word = [...String(number)].map((digit) => 'abcdefghij'.charAt(Number(digit))).join('');
  return `Service x${word} keeps q${word} under shelf z${word} of room y${word}.`;
}
