import { type ChunkingOptions, chunkMarkdown } from '../chunking/chunk-markdown.js';
import type { Forgotten } from '../forget/forgotten.js';
import type { IndexedDocument, StoredDocument } from '../index/memory-index.js';
import { readDocument } from '../sources/read-document.js';
import type { FileFingerprint, SkippedFile, SourceFile } from '../types.js';

/** What came of reading one file for the index. */
export type LoadOutcome =
  | { readonly state: 'changed'; readonly document: IndexedDocument }
  /** It says what the index has already. */
  | { readonly state: 'unchanged'; readonly fingerprint: FileFingerprint }
  | { readonly state: 'skipped'; readonly skip: SkippedFile };

/**
 * Reads a file and cuts it into chunks, without what is forgotten of it.
 *
 * @param stored what the index holds of it so far
 */
export function loadDocument(
  file: SourceFile,
  stored: StoredDocument | undefined,
  chunking: ChunkingOptions,
  forgotten: Forgotten,
): LoadOutcome {
  const outcome = readDocument(file.absolutePath, file.path);
  if (!outcome.ok) return { state: 'skipped', skip: outcome.skip };
  const { fingerprint } = outcome.document;
  const { lines, mark } = forgotten.cover(outcome.document.lines, outcome.document.hash);
  // The same file is another document once more or less of it is forgotten.
  const hash = outcome.document.hash + mark;
  if (stored?.hash === hash) return { state: 'unchanged', fingerprint };
  const { source, path, kind } = file;
  const chunks = chunkMarkdown(lines, chunking);
  return { state: 'changed', document: { source, path, kind, fingerprint, hash, chunks } };
}
