/*
 * The index database of one memory. What writes vectors is loaded by name:
 *   vectors/index.ts: everything that needs vectors
 */

export { dayOfPath, daysOfChunk } from './chunk-days.js';
export type { Change, IndexedDocument } from './document-writer.js';
export {
  currentIdentity,
  type IndexIdentity,
  type IndexSettings,
  identityDifferences,
  type Tokenizer,
} from './identity.js';
export {
  asIndexError,
  type IndexHeader,
  indexHeader,
  integrityComplaints,
  isDamage,
  statIndex,
} from './index-file.js';
export type { Language } from './languages.js';
export type { CandidateFilter, LexicalCandidate } from './lexical-candidates.js';
export type { IndexStatistics, MemoryIndex } from './memory-index.js';
export { createIndex, damageComplaint, type OpenedIndex, openIndex } from './open-index.js';
export type { StoredDocument } from './read-documents.js';
export type {
  EmbeddingEntry,
  RefusedContent,
  RefusedMedia,
  VectorSpaceStatistics,
} from './vectors/embeddings.js';
export {
  loadVectorExtension,
  type VectorExtension,
  type VectorSettings,
} from './vectors/extension.js';
export type { MissingMedia } from './vectors/missing-embeddings.js';
export { bytesOf, floatsOf } from './vectors/vector-bytes.js';
export type { VectorCandidate } from './vectors/vector-candidates.js';
export { backwards, camelParts, forwards, hasCamelCase } from './word-parts.js';
