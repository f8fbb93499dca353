import type { Warning } from '../../errors/index.js';
import type { LineRange, Source } from '../types.js';

/** What is asked of memory. */
export interface SearchRequest {
  readonly query: string;
  /** `query.maxResults` when absent. */
  readonly maxResults?: number | undefined;
  /**
   * 0 to 1. When absent `query.minScore` counts, which is meant for hybrid scores: of those, text
   * makes up the share `textWeight`, so a lexical score is held against that share of it.
   */
  readonly minScore?: number | undefined;
  /** Only these sources; all that are indexed when absent. */
  readonly sources?: readonly Source[] | undefined;
  /** Only documents whose displayed path matches this glob. */
  readonly pathGlob?: string | undefined;
}

/** How the results were found; vectors add further modes. */
export type SearchMode = 'lexical';

/** One answer: a passage of a document. */
export interface SearchResult extends LineRange {
  /** Workspace-relative, forward slashes. */
  readonly path: string;
  readonly source: Source;
  /** 0 to 1, comparable between queries. */
  readonly score: number;
  /** The passage's best lines as they stand in the file; see {@link snippetLine}. */
  readonly snippet: string;
  /** 1-based number of the snippet's first line in the document. */
  readonly snippetLine: number;
  /** Titles of the headings above the passage, outermost first. */
  readonly headingPath: readonly string[];
  /** `path#L3-L5`; absent when citations are off. */
  readonly citation?: string;
  /** The lexical part of the score, 0 to 1. */
  readonly textScore?: number;
  /** Where query words stand in the snippet: UTF-16 offsets, end excluded, ascending. */
  readonly highlights: readonly TextSpan[];
}

/** A stretch of a string in UTF-16 units, end excluded. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/** The answer to a {@link SearchRequest}. */
export interface SearchResponse {
  readonly query: string;
  readonly mode: SearchMode;
  readonly backend: 'builtin';
  /** The embedding provider and model used; null when the search was lexical only. */
  readonly provider: string | null;
  readonly model: string | null;
  /** Best first; ties by path and line. */
  readonly results: readonly SearchResult[];
  /** How many passages hold any of the query's words. */
  readonly matches: number;
  /** How many of the best passages were left out because they scored below `minScore`. */
  readonly belowMinScore: number;
  /** Time spent searching, without bringing the index up to date; milliseconds. */
  readonly searchMs: number;
  readonly warnings: readonly Warning[];
}
