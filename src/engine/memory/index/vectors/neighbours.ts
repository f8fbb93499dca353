/** An embedding and how near it is to the query. */
export interface Neighbour {
  readonly id: number;
  /** Cosine. */
  readonly similarity: number;
}

/** The nearest so many, best first, and those as near as the last of them. */
export function topNeighbours(found: readonly Neighbour[], count: number): Neighbour[] {
  const sorted = [...found].sort((a, b) => b.similarity - a.similarity);
  const last = sorted[count - 1]?.similarity;
  return last === undefined ? sorted : sorted.filter(({ similarity }) => similarity >= last);
}
