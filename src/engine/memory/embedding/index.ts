/* Vectors for passages and queries. Loaded by name: embed-missing.ts, for passages without a vector. */

export type {
  EmbeddingFailure,
  EmbeddingSummary,
  EmbeddingWork,
  EmbedEvent,
} from './embed-missing.js';
export { isForJobs, missingWork, pages } from './passages.js';
export { QueryEmbedder, type QueryVector } from './query-embedder.js';
