/** Signs of a code, and the 32-bit words that hold them. */
const BITS = 512;
const WORDS = BITS / 32;
export const CODE_BYTES = BITS / 8;

/** Vectors whose mean is the centre of their page. */
const CENTRE_SAMPLE = 256;

export const PAGE_SLOTS = 1024;

/**
 * Codes of one page of vectors. A code describes a vector relative to the centre of its page, because
 * embeddings have much in common, especially those of one document. `signs` has 512 signs of the difference,
 * and `factors` two numbers per slot: its length, and its product with the centre.
 */
export interface CodePage {
  readonly centre: Float32Array;
  /** Of embeddings, some of which may be unused by now. */
  readonly ids: Uint32Array;
  readonly factors: Float32Array;
  readonly signs: Uint32Array;
}

export interface Codable {
  readonly id: number;
  readonly vector: Float32Array;
}

/** A difference from a centre, without its signs. */
interface Difference {
  readonly length: number;
  /** Its product with the centre. */
  readonly along: number;
}

/**
 * Encodes and compares vectors of one length. Codes are stored, so the encoding may only change with the
 * schema version.
 */
export class SignCoder {
  private readonly flips: Float64Array;
  private readonly folded = new Float64Array(BITS);
  private readonly spare = new Float64Array(BITS);
  private readonly rounded = new Float32Array(BITS);
  private readonly roundedBits = new Uint32Array(this.rounded.buffer);
  private readonly query = new Uint32Array(WORDS);

  constructor(dimensions: number) {
    this.flips = randomSigns(dimensions);
  }

  /** The page of these vectors, around their mean. */
  encode(vectors: readonly Codable[]): CodePage {
    const centre = meanOf(vectors.slice(0, CENTRE_SAMPLE), this.flips.length);
    const page: CodePage = {
      centre,
      ids: Uint32Array.from(vectors, ({ id }) => id),
      factors: new Float32Array(vectors.length * 2),
      signs: new Uint32Array(vectors.length * WORDS),
    };
    for (const [slot, { vector }] of vectors.entries()) {
      const { length, along } = this.signsOf(vector, centre, page.signs, slot * WORDS);
      page.factors[slot * 2] = length;
      page.factors[slot * 2 + 1] = along;
    }
    return page;
  }

  /** Whether the parts of a page are consistent; it may come from a damaged file. */
  fits({ centre, ids, factors, signs }: CodePage): boolean {
    const sizes = [this.flips.length, PAGE_SLOTS, PAGE_SLOTS * 2, PAGE_SLOTS * WORDS];
    return [centre, ids, factors, signs].every((part, at) => part.length === sizes[at]);
  }

  /**
   * An upper bound of each vector's similarity to a unit query: the share of differing signs estimates the
   * angle between both differences. Few similarities are higher.
   *
   * @param ceilings to write to, starting at `from`
   */
  compare(page: CodePage, vector: Float32Array, ceilings: Float32Array, from: number): void {
    const { centre, factors, signs } = page;
    const { query } = this;
    const { length, along } = this.signsOf(vector, centre, query, 0);
    const base = along + centre.reduce((sum, value) => sum + value * value, 0);
    for (let slot = 0, word = 0; slot < PAGE_SLOTS; slot++) {
      let differing = 0;
      for (let at = 0; at < WORDS; at++, word++) {
        let bits = (signs[word] ?? 0) ^ (query[at] ?? 0);
        // Adds up neighbouring pairs, then fours, then bytes (Hacker's Delight, figure 5-2).
        bits -= (bits >>> 1) & 0x55555555;
        bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
        differing += Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
      }
      const reach = length * (factors[slot * 2] ?? 0) * (CEILINGS[differing] ?? 0);
      ceilings[from + slot] = base + (factors[slot * 2 + 1] ?? 0) + reach;
    }
  }

  /**
   * Writes the signs of a vector relative to a centre. First the difference is folded to as many numbers as
   * there are signs and mixed (random flips, then a Walsh-Hadamard transform), so that all signs carry equal
   * information.
   */
  private signsOf(
    vector: Float32Array,
    centre: Float32Array,
    signs: Uint32Array,
    from: number,
  ): Difference {
    const { flips, folded, roundedBits } = this;
    folded.fill(0);
    let squares = 0;
    let along = 0;
    for (let at = 0; at < flips.length; at++) {
      const middle = centre[at] ?? 0;
      const difference = (vector[at] ?? 0) - middle;
      squares += difference * difference;
      along += difference * middle;
      const place = (at * STRIDE) % BITS;
      folded[place] = (folded[place] ?? 0) + difference * (flips[at] ?? 0);
    }
    // Signs are effectively random: reading their bits is faster than mispredicted branches.
    this.rounded.set(hadamard(folded, this.spare));
    for (let word = 0, at = 0; word < WORDS; word++) {
      let bits = 0;
      for (let bit = 0; bit < 32; bit++, at++) bits = (bits << 1) | ((roundedBits[at] ?? 0) >>> 31);
      signs[from + word] = bits;
    }
    return { length: Math.sqrt(squares), along };
  }
}

/** Odd, so that every place is used before any repeats; adjacent places would mix few dimensions badly. */
const STRIDE = 173;

/** Standard deviations between an estimate and its ceiling; see bench/vectors.ts for the recall. */
const DEVIATIONS = 2.5;

/** The expected cosine between two vectors with so many differing signs, and a margin for chance. */
const CEILINGS = Float64Array.from({ length: BITS + 1 }, (_, differing) => {
  const share = differing / BITS;
  const deviation = Math.PI * Math.sqrt((share * (1 - share)) / BITS);
  const angle = Math.PI * share;
  return Math.cos(angle) + DEVIATIONS * deviation * Math.sin(angle);
});

function meanOf(vectors: readonly Codable[], dimensions: number): Float32Array {
  const sum = new Float64Array(dimensions);
  for (const { vector } of vectors) {
    for (let at = 0; at < dimensions; at++) sum[at] = (sum[at] ?? 0) + (vector[at] ?? 0);
  }
  return Float32Array.from(sum, (value) => value / vectors.length);
}

const EIGHTH = BITS / 8;

/**
 * The unscaled Walsh-Hadamard transform (only signs matter): three radix-8 steps for 512 numbers. Radix-2
 * steps take four times as long.
 */
function hadamard(values: Float64Array, spare: Float64Array): Float64Array {
  let [from, to] = [values, spare];
  for (let size = 1; size < BITS; size *= 8) {
    for (let at = 0, out = 0; at < EIGHTH; at++, out += 8) {
      const a = from[at] ?? 0;
      const b = from[at + EIGHTH] ?? 0;
      const c = from[at + 2 * EIGHTH] ?? 0;
      const d = from[at + 3 * EIGHTH] ?? 0;
      const e = from[at + 4 * EIGHTH] ?? 0;
      const f = from[at + 5 * EIGHTH] ?? 0;
      const g = from[at + 6 * EIGHTH] ?? 0;
      const h = from[at + 7 * EIGHTH] ?? 0;
      const ac = a + e + (c + g);
      const bd = b + f + (d + h);
      const ca = a + e - (c + g);
      const db = b + f - (d + h);
      const eg = a - e + (c - g);
      const fh = b - f + (d - h);
      const ge = a - e - (c - g);
      const hf = b - f - (d - h);
      to[out] = ac + bd;
      to[out + 1] = ac - bd;
      to[out + 2] = ca + db;
      to[out + 3] = ca - db;
      to[out + 4] = eg + fh;
      to[out + 5] = eg - fh;
      to[out + 6] = ge + hf;
      to[out + 7] = ge - hf;
    }
    [from, to] = [to, from];
  }
  return from;
}

/** 1 or -1 for each dimension, by the top bit of xorshift32. */
function randomSigns(count: number): Float64Array {
  let state = 0x9e3779b9 | 0;
  return Float64Array.from({ length: count }, () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state < 0 ? -1 : 1;
  });
}
