import type { TidyOptions } from '../../embedding-records.js';
import type { OpenMemory } from '../candidates.js';
import { embeddingQueries } from './embeddings.js';
import { missingQueries } from './missing-embeddings.js';
import { tidyEmbeddings } from './tidy-embeddings.js';
import { vectorQueries } from './vector-candidates.js';

/** What a memory has of vectors. */
export function vectorPart(memory: OpenMemory) {
  return {
    ...embeddingQueries(memory),
    ...missingQueries(memory),
    ...vectorQueries(memory),
    tidyEmbeddings: (options: TidyOptions) =>
      tidyEmbeddings(memory.sql, memory.facts.memory, options),
  };
}
