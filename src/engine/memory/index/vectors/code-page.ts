import type { Rotation } from './rotation.js';

/** Vectors of one page. */
export const PAGE_SLOTS = 4096;
/** Vectors whose codes are interleaved, so that one instruction looks at all of them. */
export const GROUP = 16;
/**
 * Signs of a code. How far an estimate is off depends on their number, whatever the dimensions; more
 * of them take longer to read than they save of looking at vectors exactly.
 */
const LONG_BITS = 512;
const SHORT_BITS = 384;
/** Pages of a space with long codes. After them reading weighs more, and codes are short. */
const LONG_PAGES = 32;
const CENTRE_SAMPLE = 256;

/**
 * Short codes of up to 4,096 vectors: the signs of each, rotated, around the page's centre. With them
 *
 *     cosine(query, vector) ≈ query·centre + offset + scale × Σ ±query
 *
 * where the sum takes the rotated query's values with the signs of the code. `scale` and `offset`
 * make it exact for a query along the vector, and right on average for all others. The centre is
 * the mean of the page's first vectors: embeddings have much in common, documents even more.
 *
 * Arrays are filled up to a multiple of {@link GROUP} slots. Byte `b` of slot `s` is at
 * `(s / 16) × 16 × bytes + b × 16 + s % 16`.
 */
export interface CodePage {
  /** Bytes of one code. */
  readonly bytes: number;
  /** Slots taken, dead ones included. */
  readonly used: number;
  /** Rotated. */
  readonly centre: Float32Array;
  readonly ids: Uint32Array;
  readonly scales: Float32Array;
  /** -Infinity for a slot that is dead or empty: it comes out below every other. */
  readonly offsets: Float32Array;
  readonly codes: Uint8Array;
}

/** A vector to encode. */
export interface Codable {
  readonly id: number;
  readonly vector: Float32Array;
}

/** How long codes may be, in bytes: in the first pages of a space, and in those after them. */
export interface CodeLengths {
  readonly long: number;
  readonly short: number;
}

/** The lengths of the codes of vectors that are so wide when rotated. */
export function codeLengths(width: number): CodeLengths {
  return { long: Math.min(width, LONG_BITS) / 8, short: Math.min(width, SHORT_BITS) / 8 };
}

/**
 * A page without vectors, around the mean of the first of these.
 *
 * @param before how many pages the space has already
 */
export function emptyPage(
  rotation: Rotation,
  vectors: readonly Codable[],
  before: number,
): CodePage {
  const { long, short } = codeLengths(rotation.width);
  const sample = vectors.slice(0, CENTRE_SAMPLE);
  const sum = new Float64Array(rotation.width);
  const rotated = new Float64Array(rotation.width);
  for (const { vector } of sample) {
    rotation.rotate(vector, rotated);
    for (let at = 0; at < sum.length; at++) sum[at] = (sum[at] ?? 0) + (rotated[at] ?? 0);
  }
  return {
    bytes: before < LONG_PAGES ? long : short,
    used: 0,
    centre: Float32Array.from(sum, (value) => value / sample.length),
    ids: new Uint32Array(0),
    scales: new Float32Array(0),
    offsets: new Float32Array(0),
    codes: new Uint8Array(0),
  };
}

/** A page with more vectors in it; the caller sees to it that there is room for them. */
export function extendPage(
  rotation: Rotation,
  page: CodePage,
  vectors: readonly Codable[],
): CodePage {
  const used = page.used + vectors.length;
  const slots = Math.ceil(used / GROUP) * GROUP;
  const { bytes } = page;
  const extended = {
    bytes,
    used,
    centre: page.centre,
    ids: new Uint32Array(slots),
    scales: new Float32Array(slots),
    offsets: new Float32Array(slots).fill(Number.NEGATIVE_INFINITY),
    codes: new Uint8Array(slots * bytes),
  };
  extended.ids.set(page.ids);
  extended.scales.set(page.scales);
  extended.offsets.set(page.offsets);
  extended.codes.set(page.codes);
  const rotated = new Float64Array(rotation.width);
  for (const [at, { id, vector }] of vectors.entries()) {
    rotation.rotate(vector, rotated);
    encode(extended, page.used + at, rotated);
    extended.ids[page.used + at] = id;
  }
  return extended;
}

function encode(page: CodePage, slot: number, rotated: Float64Array): void {
  const { bytes, centre, codes } = page;
  const start = (slot - (slot % GROUP)) * bytes + (slot % GROUP);
  let squares = 0;
  let alongCentre = 0;
  let absolute = 0;
  let signedCentre = 0;
  for (let at = 0, byte = 0; at < rotated.length; byte++) {
    let code = 0;
    const coded = byte < bytes ? 1 : 0;
    for (let bit = 1; bit < 256; bit *= 2, at++) {
      const middle = centre[at] ?? 0;
      const residual = (rotated[at] ?? 0) - middle;
      squares += residual * residual;
      alongCentre += residual * middle;
      // Signs are as good as random: arithmetic is faster than a branch that is guessed wrong.
      const sign = Number(residual >= 0) * 2 - 1;
      absolute += coded * sign * residual;
      signedCentre += coded * sign * middle;
      code += (sign + 1) * bit;
    }
    if (coded === 1) codes[start + byte * GROUP] = code >> 1;
  }
  const scale = absolute === 0 ? 0 : squares / absolute;
  page.scales[slot] = scale;
  page.offsets[slot] = alongCentre - scale * signedCentre;
}
