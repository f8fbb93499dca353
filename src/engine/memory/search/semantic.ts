import type { Warning } from '../../errors/index.js';
import type { MemoryIndex } from '../index/memory-index.js';

/** A question as a vector. */
export interface QueryVector {
  /** Which of the index's vectors it may be compared with. */
  readonly identity: string;
  /** Unit length. */
  readonly vector: Float32Array;
  /** What the configuration calls the provider, and its model; for people. */
  readonly provider: string;
  readonly model: string;
}

/** Turns questions into vectors, with whatever provider can, or says why none can. */
export interface QueryEmbedder {
  /**
   * Undefined when there is nothing to compare with, or no provider answers: then words alone find.
   *
   * @param warnings gets what the answer should be taken with
   * @throws only the signal's reason
   */
  embed(
    query: string,
    index: MemoryIndex,
    warnings: Warning[],
    signal: AbortSignal | undefined,
  ): Promise<QueryVector | undefined>;
}
