import type { VectorIndex } from '../../vector-index.js';
import type { OpenMemory } from '../candidates.js';
import { embeddingQueries } from './embeddings.js';
import { missingQueries } from './missing-embeddings.js';
import { tidyEmbeddings } from './tidy-embeddings.js';
import { vectorQueries } from './vector-candidates.js';

export { embeddingClaims } from './missing-embeddings.js';

/** What a memory has of vectors. */
export function vectorPart(memory: OpenMemory): VectorIndex {
  return {
    ...embeddingQueries(memory),
    ...missingQueries(memory),
    ...vectorQueries(memory),
    tidyEmbeddings: (options) => tidyEmbeddings(memory.sql, memory.facts.memory, options),
  };
}
