/* The index of one memory, and its SQLite database. */

export { idf, scoreBound } from './bm25.js';
export type {
  CandidateFilter,
  DatedQuestion,
  EssentialTerms,
  FilteredChunk,
  FilteredDocument,
  LexicalCandidate,
  VectorCandidate,
} from './candidates.js';
export { dayOfPath, daysOfChunk, daysOfHeadings } from './chunk-days.js';
export type {
  Change,
  IndexedDocument,
  LinkingDocument,
  StoredDocument,
  TreeSnapshot,
} from './documents.js';
export { isLeftOut } from './documents.js';
export type {
  EmbeddingEntry,
  MissingMedia,
  PackedEmbedding,
  PackedStore,
  RefusedContent,
  RefusedMedia,
  VectorExtension,
  VectorSpaceStatistics,
} from './embedding-records.js';
export * from './identity.js';
export type { Language } from './languages.js';
export { fileNameWords } from './lexical-text.js';
export type { BatchJob, MemoryIndex } from './memory-index.js';
export type { Origin, OtherDocument } from './postgres/index.js';
export {
  asIndexError,
  type IndexHeader,
  indexedFolder,
  indexHeader,
  isDamage,
  statIndex,
} from './sqlite/index-file.js';
export * from './sqlite/sqlite-index.js';
export { loadVectorExtension, type VectorSettings } from './sqlite/vectors/extension.js';
export { bytesOf, floatsOf } from './vector-bytes.js';
export { backwards, camelParts, forwards, hasCamelCase } from './word-parts.js';
