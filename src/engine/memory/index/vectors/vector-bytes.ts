import { endianness } from 'node:os';

const FLOAT_BYTES = 4;

/** A vector as its column holds it: 32-bit floats, little-endian. */
export function bytesOfVector(vector: Float32Array): Buffer {
  const bytes = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
  return endianness() === 'LE' ? bytes : Buffer.from(bytes).swap32();
}

/** The vector in the bytes of a column; shares their memory where that can be. */
export function vectorOfBytes(bytes: Buffer): Float32Array {
  const length = Math.floor(bytes.length / FLOAT_BYTES);
  if (endianness() === 'LE' && bytes.byteOffset % FLOAT_BYTES === 0) {
    return new Float32Array(bytes.buffer, bytes.byteOffset, length);
  }
  const vector = new Float32Array(length);
  for (let at = 0; at < length; at++) vector[at] = bytes.readFloatLE(at * FLOAT_BYTES);
  return vector;
}

/** The same direction with length 1; a vector of zeros stays one. */
export function unitVector(vector: Float32Array): Float32Array {
  const length = Math.sqrt(dotProduct(vector, vector));
  return length === 0 ? vector : vector.map((value) => value / length);
}

/** The sum of products, in 64-bit floats and in one order: equal everywhere to the last bit. */
export function dotProduct(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += (a[at] ?? 0) * (b[at] ?? 0);
  return sum;
}

/** The cosine of two vectors of length 1: their dot product, without what rounding put beyond ±1. */
export function cosine(a: Float32Array, b: Float32Array): number {
  return Math.max(-1, Math.min(1, dotProduct(a, b)));
}
