export {
  countMissingEmbeddings,
  countMissingMedia,
  missingEmbeddings,
  missingMedia,
  packedStore,
  putEmbeddings,
  refusedMedia,
  refuseEmbeddings,
  spaceStatistics,
  storedEmbeddings,
} from './embeddings.js';
export { loadVectorExtension } from './extension.js';
export { allSpaces } from './spaces.js';
export { tidyEmbeddings } from './tidy-embeddings.js';
export {
  sampleSimilarities,
  similarities,
  vectorCandidates,
} from './vector-candidates.js';
