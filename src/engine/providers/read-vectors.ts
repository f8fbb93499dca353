import { formatCountOf } from '../support/format.js';
import { messageIn } from './http/status-fault.js';
import type { BatchResult } from './vendor.js';
import { VendorFault } from './vendor-fault.js';

/** Reads a vector: numbers, or little-endian float32 in base64. @throws VendorFault */
export function readVector(value: unknown): Float32Array {
  if (typeof value === 'string') return fromBase64(value);
  if (!Array.isArray(value)) throw broken('it has no vector where one was expected');
  const vector = new Float32Array(value.length);
  for (let i = 0; i < value.length; i++) {
    const number: unknown = value[i];
    if (typeof number !== 'number')
      throw brokenVector('a vector contains something other than numbers');
    vector[i] = number;
  }
  return vector;
}

function fromBase64(text: string): Float32Array {
  // Not from Node's buffer pool, whose offsets may be unaligned.
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text, 'base64'));
  const length = bytes.write(text, 'base64');
  if (length === 0 || length % Float32Array.BYTES_PER_ELEMENT !== 0) {
    throw broken('a vector is cut off');
  }
  const count = length / Float32Array.BYTES_PER_ELEMENT;
  if (LITTLE_ENDIAN) return new Float32Array(bytes.buffer, bytes.byteOffset, count);
  return Float32Array.from({ length: count }, (_, i) => bytes.readFloatLE(i * 4));
}

const LITTLE_ENDIAN = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

/** The result of one line of a batch. A broken vector is the fault of its line only. */
export function lineResult(key: string, value: unknown): BatchResult {
  try {
    return { key, vector: readVector(value) };
  } catch (error) {
    if (error instanceof VendorFault) return { key, why: error.message };
    throw error;
  }
}

/** Sorts vectors that carry an `index` into the order of the inputs. @throws VendorFault */
export function inInputOrder(
  items: readonly { readonly index: number; readonly vector: Float32Array }[],
): Float32Array[] {
  const { length } = items;
  const ordered = new Array<Float32Array | undefined>(length);
  for (const { index, vector } of items) {
    if (!Number.isInteger(index) || index < 0 || index >= length || ordered[index] !== undefined) {
      throw mixedUp(`its vectors have a wrong index (${index})`);
    }
    ordered[index] = vector;
  }
  return ordered.filter((vector) => vector !== undefined);
}

export function wrongCount(got: number, wanted: number): VendorFault {
  return mixedUp(`it has ${formatCountOf(got, 'vector')} for ${formatCountOf(wanted, 'input')}`);
}

/** As many as can be configured, exported and imported. */
const MOST_DIMENSIONS = 65_536;

/**
 * Brings a vector to unit length, in place. @throws VendorFault if it is empty, zero, not finite or far too long
 */
export function normalise(vector: Float32Array): Float32Array {
  const { length } = vector;
  if (length > MOST_DIMENSIONS) throw brokenVector(`a vector has ${length} dimensions`);
  let squares = 0;
  // By index: an iterator takes several times as long, and a provider's answer has thousands of vectors.
  for (let i = 0; i < vector.length; i++) squares += (vector[i] ?? 0) ** 2;
  if (!Number.isFinite(squares)) throw brokenVector('a vector contains NaN or infinity');
  if (squares === 0) throw brokenVector('a vector is empty or all zero');
  const factor = 1 / Math.sqrt(squares);
  // Already unit length: keep the vendor's exact bytes.
  if (Math.abs(factor - 1) > 1e-6)
    for (let i = 0; i < vector.length; i++) vector[i] = (vector[i] ?? 0) * factor;
  return vector;
}

/** An answer without its result. Some servers report an error with status 200. @param what as `no "data"` */
export function withoutResult(body: unknown, what: string): VendorFault {
  const message = messageIn(body);
  return broken(message === undefined ? `it has ${what}` : `it reports "${message}"`);
}

export function broken(what: string): VendorFault {
  return new VendorFault('answer', `the answer is broken: ${what}`);
}

function mixedUp(what: string): VendorFault {
  return broken(what).with({ isMixedUp: true });
}

function brokenVector(what: string): VendorFault {
  return broken(what).with({ isInVector: true });
}
