/** Dimensions that are mixed at once; what is rotated is filled up with zeros to a multiple. */
const BLOCK = 256;

/** Turns vectors of one length, lengths and angles kept. */
export interface Rotation {
  /** Dimensions of what comes out. */
  readonly width: number;
  /** @param out of {@link width} */
  rotate(vector: Float32Array, out: Float64Array): void;
}

/**
 * A fixed, random-looking rotation: after it no dimension says more than another, whatever the
 * vectors are like, so that the signs alone tell a good part (RaBitQ, https://arxiv.org/abs/2405.12497).
 * Two rounds of random signs and Hadamard transforms of blocks; between them every block gets a
 * share of every other. Its result is stored, so it must stay the same for ever.
 */
export function createRotation(dimensions: number): Rotation {
  const blocks = Math.ceil(dimensions / BLOCK);
  const width = blocks * BLOCK;
  const first = randomSigns(width, FIRST_SEED, 1);
  // The two transforms of a block make its values longer by their number.
  const second = randomSigns(width, SECOND_SEED, 1 / BLOCK);
  const mixed = new Float64Array(width);
  const between = new Float64Array(BLOCK);
  return {
    width,
    rotate(vector, out) {
      for (let at = 0; at < width; at++) mixed[at] = (vector[at] ?? 0) * (first[at] ?? 0);
      for (let start = 0; start < width; start += BLOCK) hadamard(mixed, start, between);
      for (let block = 0, start = 0; block < blocks; block++, start += BLOCK) {
        for (let from = 0, at = block; from < BLOCK; from++, at += blocks) {
          out[at] = (mixed[start + from] ?? 0) * (second[at] ?? 0);
        }
      }
      for (let start = 0; start < width; start += BLOCK) hadamard(out, start, between);
    },
  };
}

const FIRST_SEED = 0x9e3779b9;
const SECOND_SEED = 0x85ebca6b;

/**
 * The Walsh-Hadamard transform of one block in place, not scaled. Four steps of radix 4, each from
 * four quarters into neighbours: so every step reads and writes in the same order.
 */
function hadamard(values: Float64Array, start: number, between: Float64Array): void {
  for (let pair = 0; pair < 2; pair++) {
    radixFour(values, start, between, 0);
    radixFour(between, 0, values, start);
  }
}

function radixFour(from: Float64Array, start: number, to: Float64Array, target: number): void {
  for (let at = 0; at < QUARTER; at++) {
    const a = from[start + at] ?? 0;
    const b = from[start + at + QUARTER] ?? 0;
    const c = from[start + at + 2 * QUARTER] ?? 0;
    const d = from[start + at + 3 * QUARTER] ?? 0;
    const place = target + 4 * at;
    to[place] = a + b + (c + d);
    to[place + 1] = a - b + (c - d);
    to[place + 2] = a + b - (c + d);
    to[place + 3] = a - b - (c - d);
  }
}

const QUARTER = BLOCK / 4;

/** This size with one of two signs for each dimension, by the top bit of xorshift32. */
function randomSigns(count: number, seed: number, size: number): Float64Array {
  let state = seed | 0;
  return Float64Array.from({ length: count }, () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state < 0 ? -size : size;
  });
}
