import { base64Vector, type RecordedRequest } from './fake-vendor.js';

/** The body of a request as JSON; undefined when it is none or was not declared as such. */
export function jsonBody(request: RecordedRequest): unknown {
  if (!/^application\/json/.test(request.headers['content-type'] ?? '')) return undefined;
  try {
    return JSON.parse(request.body.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** The usual answer, in the form of OpenAI. It is out of order on purpose: `index` gives the position. */
export function embeddingList(
  vectors: readonly Float32Array[],
  { base64, model, usage }: { base64: boolean; model: string; usage: Record<string, number> },
): unknown {
  const data = vectors
    .map((vector, index) => ({
      object: 'embedding',
      index,
      embedding: base64 ? base64Vector(vector) : [...vector],
    }))
    .reverse();
  return { object: 'list', data, model, usage };
}

/**
 * Tokens of each text, on the strict side: three UTF-16 units for one, where most tokenizers need
 * fewer tokens.
 */
export function strictTokens(texts: readonly string[]): readonly number[] {
  return texts.map((text) => Math.ceil(text.length / 3));
}

/** Sum of numbers. */
export function total(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

/** A vector cut to its beginning, of unit length again. */
export function shortened(vector: Float32Array, dimensions: number): Float32Array {
  const cut = vector.slice(0, dimensions);
  const length = Math.hypot(...cut);
  return cut.map((value) => value / length);
}
