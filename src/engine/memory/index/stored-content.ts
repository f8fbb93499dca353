import type { NoteFacts } from '../types.js';
import type {
  ChunkContent,
  DocumentContent,
  DocumentCounts,
  MediaCounts,
  SourceCounts,
} from './documents.js';
import { headingPathOf, lineNumbersOf } from './lexical-text.js';

/** A document as an index stores it. */
export interface ContentRow {
  readonly id: number;
  readonly indexedMs: number;
  readonly modifiedMs: number;
  /** JSON. */
  readonly facts: string | null;
}

/** A chunk as an index stores it. */
export interface ContentChunkRow extends Omit<ChunkContent, 'headingPath' | 'lineNumbers'> {
  readonly headings: string;
  readonly numbers: string | null;
}

/** What rows of an index say about a document. */
export function contentOf(
  { indexedMs, modifiedMs, facts }: ContentRow,
  chunks: readonly ContentChunkRow[],
): DocumentContent {
  return {
    indexedMs,
    modifiedMs,
    facts: facts === null ? undefined : JSON.parse(facts),
    chunks: chunks.map(({ startLine, endLine, headings, text, numbers, vector }) => {
      const lineNumbers = lineNumbersOf(numbers);
      const chunk = { startLine, endLine, headingPath: headingPathOf(headings), text, vector };
      return lineNumbers === undefined ? chunk : { ...chunk, lineNumbers };
    }),
  };
}

/** What an index stores of one source. */
export type SourceRow = Required<SourceCounts>;

/** The counts of an index from those of its sources. */
export function countsOf(rows: readonly SourceRow[], media: MediaCounts): DocumentCounts {
  return {
    documents: rows.reduce((sum, row) => sum + row.documents, 0),
    chunks: rows.reduce((sum, row) => sum + row.chunks, 0),
    bySource: rows.map(({ brokenLines, ...row }) =>
      brokenLines > 0 ? { ...row, brokenLines } : row,
    ),
    media,
  };
}

/** SQL for the facts of a document with promoted lines, which few have. */
export const PROMOTED_FACTS = `CASE WHEN facts LIKE '%"promoted":%' THEN facts END`;

/** The promoted lines among facts. */
export function promotedIn(facts: string | null): Pick<NoteFacts, 'promoted'> {
  if (facts === null) return {};
  const { promoted }: NoteFacts = JSON.parse(facts);
  return promoted === undefined ? {} : { promoted };
}
