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

/** Cosine of two unit vectors, with rounding errors beyond ±1 clamped. */
export function cosine(a: Float32Array, b: Float32Array): number {
  return Math.max(-1, Math.min(1, dotProduct(a, b)));
}
