/**
 * A seeded pseudo-random generator of numbers in [0, 1), the same on every machine (mulberry32 by Tommy
 * Ettinger, public domain).
 *
 * @param seed a whole number; its low 32 bits count
 */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Fisher–Yates shuffle. */
export function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const order = [...items];
  for (let at = order.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    const [here, there] = [order[at], order[other]];
    if (here === undefined || there === undefined) continue;
    order[at] = there;
    order[other] = here;
  }
  return order;
}
