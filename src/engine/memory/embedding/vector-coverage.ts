import type { BackendStatus } from '../backends/memory-backend.js';

/** How much of an index can be found by meaning. */
export interface VectorCoverage {
  /**
   * `empty`: there are no vectors; `other`: those there are belong to another identity than the
   * configured one; `partial`: some passages have none yet.
   */
  readonly state: 'empty' | 'other' | 'partial' | 'whole';
  /** Length of the vectors; null where there are none. */
  readonly dimensions: number | null;
  /** Passages with a vector of the configured identity. */
  readonly done: number;
  readonly all: number;
  /** Passages that the provider does not take. */
  readonly refused: number;
  /** Vectors kept for texts that may come back. */
  readonly cached: number;
  /** In what the configured identity differs from that of the vectors; only when `other`. */
  readonly differences: readonly string[];
}

/**
 * Compares the vectors of an index with the identity that is configured.
 *
 * @param differencesOf in what a stored identity differs from the configured one
 */
export function vectorCoverage(
  { index, vectors, media }: Pick<BackendStatus, 'index' | 'media' | 'vectors'>,
  differencesOf: (identity: string) => readonly string[],
): VectorCoverage {
  const all = index.state === 'ready' ? index.statistics.chunks : 0;
  const spaces = (vectors?.spaces ?? []).toSorted((a, b) => b.chunks - a.chunks);
  const cached = spaces.reduce((sum, space) => sum + space.cached, 0);
  const inUse = spaces.filter((space) => space.inUse);
  const own = inUse.find(({ identity }) => differencesOf(identity).length === 0);
  if (own !== undefined) {
    const { dimensions, chunks, refused } = own;
    const state = chunks + refused < all ? 'partial' : 'whole';
    const done = Math.min(chunks, all);
    return { state, dimensions, done, all, refused, cached, differences: [] };
  }
  // Where the provider has taken nothing yet, there is no space to say what it refused.
  const refused = (media?.refused ?? []).filter(
    ({ identity }) => differencesOf(identity).length === 0,
  ).length;
  if (inUse.length === 0 && refused > 0) {
    const state = refused < all ? 'partial' : 'whole';
    return { state, dimensions: null, done: 0, all, refused, cached, differences: [] };
  }
  const [other] = inUse;
  const differences = other === undefined ? [] : differencesOf(other.identity);
  const state = other === undefined ? 'empty' : 'other';
  const dimensions = other?.dimensions ?? null;
  return { state, dimensions, done: 0, all, refused: 0, cached, differences };
}
