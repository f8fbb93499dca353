import type { Connection } from '../../../../sqlite/database.js';
import type { VectorExtension } from '../../embedding-records.js';
import type { VectorIndex } from '../../vector-index.js';
import type { Filtered } from '../lexical-candidates.js';
import { embeddingQueries } from './embeddings.js';
import { loadVectorExtension, type VectorSettings } from './extension.js';
import { tidyEmbeddings } from './tidy-embeddings.js';
import { vectorQueries } from './vector-candidates.js';

export { packedStore } from './embeddings.js';

/** What an index has of vectors. */
export function vectorPart(
  database: Connection,
  filtered: Filtered,
  settings: VectorSettings,
): VectorIndex {
  let extension: VectorExtension | undefined;
  const vectorExtension = (): VectorExtension => {
    extension ??= loadVectorExtension(database, settings);
    return extension;
  };
  return {
    ...embeddingQueries(database),
    ...vectorQueries(database, filtered, () => vectorExtension().loaded),
    tidyEmbeddings: async (options) => tidyEmbeddings(database, options),
    vectorExtension: async () => vectorExtension(),
  };
}
