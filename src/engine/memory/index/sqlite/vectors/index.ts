export * from './embeddings.js';
export { loadVectorExtension } from './extension.js';
export { allSpaces } from './spaces.js';
export { tidyEmbeddings } from './tidy-embeddings.js';
export * from './vector-candidates.js';
