/*
 * Vectors for passages and queries. Loaded by name:
 *   embed-missing.ts: embeds passages without a vector
 *   embedding-status.ts: providers and coverage
 */

export type { EmbeddingStatus, ProviderStatus, VectorCoverage } from './embedding-status.js';
export { missingWork } from './passages.js';
export { QueryEmbedder } from './query-embedder.js';
