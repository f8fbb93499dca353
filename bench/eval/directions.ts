import { seededRandom } from '../../src/engine/eval/random.js';
import { shortHash } from '../../src/engine/support/text.js';

/** A random generator seeded by a text. */
export function chanceOf(text: string): () => number {
  return seededRandom(Number.parseInt(shortHash(text).slice(0, 8), 16));
}

/** A unit vector unrelated to that of any other text. */
export function randomDirection(text: string, dimensions: number): Float32Array {
  const random = chanceOf(text);
  return unit(Float32Array.from({ length: dimensions }, () => normal(random)));
}

/** A normally distributed number (Box–Muller). */
export function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Scales a vector to unit length. */
export function unit(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}
