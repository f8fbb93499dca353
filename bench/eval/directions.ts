import { type Random, seededRandom } from '../../src/engine/eval/random.js';
import { shortHash } from '../../src/engine/short-hash.js';

/** Chance that is always the same for a text. */
export function chanceOf(text: string): Random {
  return seededRandom(Number.parseInt(shortHash(text).slice(0, 8), 16));
}

/** A direction that has nothing to do with that of any other text; of unit length. */
export function randomDirection(text: string, dimensions: number): Float32Array {
  const random = chanceOf(text);
  return unit(Float32Array.from({ length: dimensions }, () => normal(random)));
}

/** A normally distributed number (Box and Muller). */
export function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** The same direction, of unit length. */
export function unit(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}
