import type { Connection } from '../../../../sqlite/database.js';
import type { TidyOptions, VectorExtension } from '../../embedding-records.js';
import type { Filtered } from '../lexical-candidates.js';
import { embeddingQueries, packedStore } from './embeddings.js';
import { loadVectorExtension, type VectorSettings } from './extension.js';
import { tidyEmbeddings } from './tidy-embeddings.js';
import { vectorQueries } from './vector-candidates.js';

/** What an index has of vectors. */
export function vectorPart(database: Connection, filtered: Filtered, settings: VectorSettings) {
  let extension: VectorExtension | undefined;
  const vectorExtension = (): VectorExtension => {
    extension ??= loadVectorExtension(database, settings);
    return extension;
  };
  return {
    ...embeddingQueries(database),
    ...vectorQueries(database, filtered, () => vectorExtension().loaded),
    tidyEmbeddings: async (options: TidyOptions) => tidyEmbeddings(database, options),
    vectorExtension: async () => vectorExtension(),
    packedStore: async () => packedStore(database),
  };
}
