import { SvcError } from '../../errors/index.js';

const WORD_BYTES = 4;
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

/** @throws SvcError PROVIDER_ANSWER_INVALID when a vector's length differs from the space's */
export function requireDimensions(wanted: number, dimensions: number): void {
  if (dimensions === wanted) return;
  const message = `a vector has ${dimensions} dimensions, but the index has ${wanted} for the same model`;
  const hint = 'if the model has changed, run "svc memory reset", then "svc memory index"';
  throw new SvcError('PROVIDER_ANSWER_INVALID', message, { hint });
}

/** Precision of 32-bit floats near 1. */
const UNIT_TOLERANCE = 1e-6;

/** The vector scaled to length 1; zero vectors are unchanged. */
export function unitVector(vector: Float32Array): Float32Array {
  // In 64-bit floats and a fixed order: bit-identical everywhere.
  let sum = 0;
  for (const component of vector) sum += component * component;
  const length = Math.sqrt(sum);
  if (length === 0 || Math.abs(length - 1) < UNIT_TOLERANCE) return vector;
  const unit = new Float32Array(vector.length);
  for (let at = 0; at < unit.length; at++) unit[at] = (vector[at] ?? 0) / length;
  return unit;
}

/*
 * The vectors of a content's pieces, as stored: a 32-bit scale for each, then their components as signed bytes.
 * A byte is a quarter of a float, and its error of a similarity (.0003 with 768 dimensions) changes no order
 * that means anything.
 */
const LARGEST_BYTE = 127;
/** Makes a component positive and rounds it, when its fraction is cut off. */
const ROUNDING = LARGEST_BYTE + 0.5;

/** @param vectors unit vectors of one length */
export function packVectors(vectors: readonly Float32Array[]): Buffer {
  const dimensions = vectors[0]?.length ?? 0;
  const scales = new Float32Array(vectors.length);
  const components = new Int8Array(vectors.length * dimensions);
  // Plain loops: with a callback for each component, writing takes twice as long.
  for (const [piece, vector] of vectors.entries()) {
    let largest = 0;
    for (let at = 0; at < dimensions; at++) largest = Math.max(largest, Math.abs(vector[at] ?? 0));
    const perUnit = largest === 0 ? 0 : LARGEST_BYTE / largest;
    const from = piece * dimensions;
    for (let at = 0; at < dimensions; at++) {
      // Rounds like Math.round, which takes six times as long.
      components[from + at] = (((vector[at] ?? 0) * perUnit + ROUNDING) | 0) - LARGEST_BYTE;
    }
    scales[piece] = largest / LARGEST_BYTE;
  }
  return Buffer.concat([bytesOf(scales), new Uint8Array(components.buffer)]);
}

/** {@link packVectors} reversed. A damaged column gives fewer vectors, or none. */
export function unpackVectors(column: Buffer, dimensions: number): Float32Array[] {
  return piecesOf(column, dimensions).map(({ scale, components }) => {
    return new Float32Array(components).map((value) => value * scale);
  });
}

/** A query in whole numbers, because their products with bytes take a third of the time of floats. */
export type QueryVector = Int32Array;

/** Adds a tenth of the error that bytes have to a similarity, and no sum of products exceeds 32 bits. */
const QUERY_UNIT = 1 << 15;

export function queryVector(vector: Float32Array): QueryVector {
  return new Int32Array(unitVector(vector).map((value) => Math.round(value * QUERY_UNIT)));
}

/** The query as signed bytes. */
export function queryBytes(query: QueryVector): Buffer {
  const largest = query.reduce((most, value) => Math.max(most, Math.abs(value)), 1);
  return Buffer.from(
    new Int8Array(query.map((value) => Math.round((value * LARGEST_BYTE) / largest))).buffer,
  );
}

/** The cosine between a query and the nearest of the packed vectors, at most 1; -1 without any. */
export function bestCosine(query: QueryVector, column: Buffer): number {
  let best = -1;
  for (const { scale, components } of piecesOf(column, query.length)) {
    best = Math.max(best, (integerProduct(query, components) * scale) / QUERY_UNIT);
  }
  return Math.min(1, best);
}

/** A function of its own, which is compiled earlier: half the time of a search's first thousand passages. */
function integerProduct(query: QueryVector, components: Int8Array): number {
  let sum = 0;
  for (let at = 0; at < query.length; at++) {
    sum = (sum + Math.imul(query[at] ?? 0, components[at] ?? 0)) | 0;
  }
  return sum;
}

/** The sum of packed vectors: the direction of a content as a whole. */
export function sumOfVectors(column: Buffer, dimensions: number): Float32Array {
  const sum = new Float32Array(dimensions);
  for (const { scale, components } of piecesOf(column, dimensions)) {
    for (let at = 0; at < dimensions; at++) {
      sum[at] = (sum[at] ?? 0) + (components[at] ?? 0) * scale;
    }
  }
  return sum;
}

function piecesOf(column: Buffer, dimensions: number) {
  const count = Math.floor(column.length / (WORD_BYTES + dimensions));
  return Array.from({ length: count }, (_, piece) => {
    const from = column.byteOffset + count * WORD_BYTES + piece * dimensions;
    return {
      scale: column.readFloatLE(piece * WORD_BYTES),
      components: new Int8Array(column.buffer, from, dimensions),
    };
  });
}
