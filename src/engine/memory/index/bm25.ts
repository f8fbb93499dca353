/*
 * SQLite's bm25(), which both stores score by (https://sqlite.org/fts5.html#the_bm25_function).
 */

export const K1 = 1.2;
export const B = 0.75;
/** Terms in more than half of the chunks get this weight instead of a negative one. */
const LEAST_IDF = 1e-6;

/** The weight of a term. @param frequency chunks that contain it, of all `chunks` */
export function idf(chunks: number, frequency: number): number {
  return Math.max(LEAST_IDF, Math.log((chunks - frequency + 0.5) / (frequency + 0.5)));
}

/** A term adds less than this to the score of a chunk, however often the chunk contains it. */
export function scoreBound(chunks: number, frequency: number): number {
  return idf(chunks, frequency) * (K1 + 1);
}
