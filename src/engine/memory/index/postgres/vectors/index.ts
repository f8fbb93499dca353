export {
  putEmbeddings,
  refusedMedia,
  refuseEmbeddings,
  storedEmbeddings,
  vectorExtension,
} from './embeddings.js';
export {
  countMissingEmbeddings,
  countMissingMedia,
  hostsEmbedding,
  missingEmbeddings,
  missingMedia,
  releaseClaims,
} from './missing-embeddings.js';
export { spaceStatistics, vectorIdentities } from './spaces.js';
export { tidyEmbeddings } from './tidy-embeddings.js';
export {
  sampleSimilarities,
  similarities,
  vectorCandidates,
} from './vector-candidates.js';
