const WORD_BYTES = 4;
/** Whether the lowest byte of a number comes first on this machine. */
const IS_LITTLE = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

/** 32-bit numbers as their column holds them: little-endian. */
export function bytesOf(words: Float32Array | Uint32Array): Buffer {
  const bytes = Buffer.from(words.buffer, words.byteOffset, words.byteLength);
  return IS_LITTLE ? bytes : Buffer.from(bytes).swap32();
}

/** The floats in the bytes of a column; shares their memory where that can be. */
export function floatsOf(bytes: Buffer): Float32Array {
  const words = aligned(bytes);
  return new Float32Array(words.buffer, words.byteOffset, words.length / WORD_BYTES);
}

/** The same for whole numbers. */
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

/** As near to 1 as 32-bit floats come. */
const UNIT_TOLERANCE = 1e-6;

/** The same direction with length 1, or the vector itself if it has that; zeros stay zeros. */
export function unitVector(vector: Float32Array): Float32Array {
  const length = Math.sqrt(dotProduct(vector, vector));
  if (length === 0 || Math.abs(length - 1) < UNIT_TOLERANCE) return vector;
  const unit = new Float32Array(vector.length);
  for (let at = 0; at < unit.length; at++) unit[at] = (vector[at] ?? 0) / length;
  return unit;
}

/** The sum of products, in 64-bit floats and in one order: equal everywhere to the last bit. */
function dotProduct(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += (a[at] ?? 0) * (b[at] ?? 0);
  return sum;
}

/** The cosine of two vectors of length 1: their dot product, without what rounding put beyond ±1. */
export function cosine(a: Float32Array, b: Float32Array): number {
  return Math.max(-1, Math.min(1, dotProduct(a, b)));
}
