export * from './missing-embeddings.js';
export * from './packed-embeddings.js';
export * from './tidy-embeddings.js';
export * from './vector-candidates.js';
export * from './write-embeddings.js';
