const WORD_BYTES = 4;
/** Whether this machine is little-endian. */
const IS_LITTLE = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

/** 32-bit numbers as stored: little-endian. */
export function bytesOf(words: Float32Array | Uint32Array): Buffer {
  const bytes = Buffer.from(words.buffer, words.byteOffset, words.byteLength);
  return IS_LITTLE ? bytes : Buffer.from(bytes).swap32();
}

/** The floats of a column, sharing its memory if possible. */
export function floatsOf(bytes: Buffer): Float32Array {
  const words = aligned(bytes);
  return new Float32Array(words.buffer, words.byteOffset, words.length / WORD_BYTES);
}

export function integersOf(bytes: Buffer): Uint32Array {
  const words = aligned(bytes);
  return new Uint32Array(words.buffer, words.byteOffset, words.length / WORD_BYTES);
}

function aligned(bytes: Buffer): Uint8Array {
  const whole = bytes.subarray(0, bytes.length - (bytes.length % WORD_BYTES));
  if (IS_LITTLE && whole.byteOffset % WORD_BYTES === 0) return whole;
  const copy = Buffer.from(new Uint8Array(whole).buffer);
  return IS_LITTLE ? copy : copy.swap32();
}

/** Precision of 32-bit floats near 1. */
const UNIT_TOLERANCE = 1e-6;

/** The vector scaled to length 1; zero vectors are unchanged. */
export function unitVector(vector: Float32Array): Float32Array {
  const length = Math.sqrt(dotProduct(vector, vector));
  if (length === 0 || Math.abs(length - 1) < UNIT_TOLERANCE) return vector;
  const unit = new Float32Array(vector.length);
  for (let at = 0; at < unit.length; at++) unit[at] = (vector[at] ?? 0) / length;
  return unit;
}

/** Dot product in 64-bit floats and a fixed order: bit-identical everywhere. */
function dotProduct(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += (a[at] ?? 0) * (b[at] ?? 0);
  return sum;
}

/*
 * The vectors of a content's pieces, as stored: a 32-bit scale for each, then their components as signed bytes.
 * A byte is a quarter of a float, and its error of a similarity (.0003 with 768 dimensions) changes no order
 * that means anything.
 */
const LARGEST_BYTE = 127;

/** @param vectors unit vectors of one length */
export function packVectors(vectors: readonly Float32Array[]): Buffer {
  const scales = vectors.map((vector) => {
    return vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0) / LARGEST_BYTE;
  });
  const bytes = vectors.map((vector, at) => {
    const scale = scales[at] ?? 0;
    return Int8Array.from(vector, (value) => (scale === 0 ? 0 : Math.round(value / scale)));
  });
  return Buffer.concat([
    bytesOf(Float32Array.from(scales)),
    ...bytes.map(({ buffer }) => new Uint8Array(buffer)),
  ]);
}

/** {@link packVectors} reversed. A damaged column gives fewer vectors, or none. */
export function unpackVectors(column: Buffer, dimensions: number): Float32Array[] {
  const { scales, components } = partsOf(column, dimensions);
  return Array.from(scales, (scale, at) => {
    const own = components.subarray(at * dimensions, (at + 1) * dimensions);
    return Float32Array.from(own, (value) => value * scale);
  });
}

/** The cosine between a unit query and the nearest of the packed vectors, at most 1; -1 without any. */
export function bestCosine(query: Float32Array, column: Buffer): number {
  const dimensions = query.length;
  const { scales, components } = partsOf(column, dimensions);
  let best = -1;
  for (let piece = 0; piece < scales.length; piece++) {
    // Four sums, so that one addition need not wait for another.
    let [a, b, c, d] = [0, 0, 0, 0];
    let at = 0;
    const from = piece * dimensions;
    for (; at + 3 < dimensions; at += 4) {
      a += (query[at] ?? 0) * (components[from + at] ?? 0);
      b += (query[at + 1] ?? 0) * (components[from + at + 1] ?? 0);
      c += (query[at + 2] ?? 0) * (components[from + at + 2] ?? 0);
      d += (query[at + 3] ?? 0) * (components[from + at + 3] ?? 0);
    }
    for (; at < dimensions; at++) a += (query[at] ?? 0) * (components[from + at] ?? 0);
    best = Math.max(best, (a + b + c + d) * (scales[piece] ?? 0));
  }
  return Math.min(1, best);
}

/** The unit mean of packed vectors: what a content is about as a whole. */
export function meanVector(column: Buffer, dimensions: number): Float32Array {
  const mean = new Float32Array(dimensions);
  for (const vector of unpackVectors(column, dimensions)) {
    for (let at = 0; at < dimensions; at++) mean[at] = (mean[at] ?? 0) + (vector[at] ?? 0);
  }
  return unitVector(mean);
}

function partsOf(
  column: Buffer,
  dimensions: number,
): { readonly scales: Float32Array; readonly components: Int8Array } {
  const count = Math.floor(column.length / (WORD_BYTES + dimensions));
  const split = count * WORD_BYTES;
  const components = column.subarray(split, split + count * dimensions);
  return {
    scales: floatsOf(column.subarray(0, split)),
    components: new Int8Array(components.buffer, components.byteOffset, components.length),
  };
}
