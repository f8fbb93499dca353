export {
  countMissingEmbeddings,
  countMissingMedia,
  hostsEmbedding,
  missingEmbeddings,
  missingMedia,
  releaseClaims,
} from './missing-embeddings.js';
export {
  spaceStatistics,
  storedEmbeddings,
  vectorExtension,
  vectorIdentities,
} from './packed-embeddings.js';
export { tidyEmbeddings } from './tidy-embeddings.js';
export {
  sampleSimilarities,
  similarities,
  vectorCandidates,
} from './vector-candidates.js';
export { putEmbeddings, refusedMedia, refuseEmbeddings } from './write-embeddings.js';
