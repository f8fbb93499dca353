/**
 * Vectors that carry meaning, of any length: every word and every run of three letters adds a fixed
 * random direction, so texts that share words, or word stems, come out close. Words that mean the
 * same get the same direction.
 */
export function meaningOf(text: string, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions);
  for (const raw of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    const word = SAME.get(raw) ?? raw;
    const weight = COMMON.has(word) ? 0.1 : 1;
    add(vector, word, weight);
    const padded = `^${word}$`;
    for (let i = 0; i + 3 <= padded.length; i++) add(vector, padded.slice(i, i + 3), weight / 4);
  }
  // Even a text without a word has a direction.
  add(vector, 'bias', 0.05);
  let squares = 0;
  for (const value of vector) squares += value * value;
  return vector.map((value) => value / Math.sqrt(squares));
}

/** Words of these rows mean the same to the fakes. */
const SYNONYMS = [
  ['car', 'automobile', 'vehicle'],
  ['doctor', 'physician'],
  ['purchase', 'buy', 'bought'],
  ['begin', 'start', 'commence'],
  ['film', 'movie'],
  ['child', 'kid'],
] as const;
const SAME: ReadonlyMap<string, string> = new Map(
  SYNONYMS.flatMap(([first, ...others]) => others.map((word) => [word, first] as const)),
);

const COMMON = new Set(
  'a an and are as at be by for from has have i in is it my of on or that the this to was we were with you'.split(
    ' ',
  ),
);

/** Each feature has eight places in the vector with a sign each, by its hash. */
function add(vector: Float32Array, feature: string, weight: number): void {
  let hash = 2166136261;
  for (let i = 0; i < feature.length; i++) {
    hash = Math.imul(hash ^ feature.charCodeAt(i), 16777619);
  }
  for (let place = 0; place < 8; place++) {
    hash = Math.imul(hash ^ (hash >>> 15), 2246822519);
    hash = Math.imul(hash ^ (hash >>> 13), 3266489917);
    const index = (hash >>> 1) % vector.length;
    vector[index] = (vector[index] ?? 0) + (hash & 1 ? weight : -weight);
  }
}

/** Vectors that mean nothing: one random direction a text. */
export function noiseOf(text: string, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions);
  for (let i = 0; i < dimensions; i++) add(vector, `${text}#${i}`, 1);
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return vector.map((value) => value / length);
}
