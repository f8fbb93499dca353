/*
 * Memory. Each room below has its own index.ts. Loaded by name:
 *   diagnose-memory.ts: tests the path of a query step by step
 *   inspect/why-indexed.ts: whether a file belongs to a memory, and which rule decided
 *   skip-words.ts: why a file is not in the index, in words
 *   output-schemas.ts: zod schemas of the JSON documents, for tests and docs
 *
 * Names that end in `Ms` are of milliseconds: a duration, or a moment since the epoch. What takes a signal throws its
 * reason once it is aborted.
 */

export type { Lookup, MemoryContext, OnRecall } from './backends/logged-backend.js';
export type { ResetOutput, StatusesOutput, StatusOutput } from './backends/output-schemas.js';
export type { GetOutput } from './get/output-schemas.js';
export type { WhyOutput } from './inspect/output-schemas.js';
export * from './open-memory.js';
export { getOutput, indexOutput, searchOutput, statusOutput, watchOutput } from './output.js';
export type { FailedAgent, IndexedAgent, IndexOutput } from './output-schemas.js';
export type { SearchOutput } from './search/output-schemas.js';
export type {
  DocumentKey,
  LineRange,
  SkippedFile,
  Source,
  SourceFile,
} from './types.js';
