import type { Warning } from '../../errors/index.js';
import type { DocumentKind, LineRange, Source } from '../types.js';

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
  /** Tell how each score came about. */
  readonly explain?: boolean | undefined;
  /** By words alone, whatever is configured: for answers while somebody types. */
  readonly lexicalOnly?: boolean | undefined;
}

/** How the results were found: by words, by vectors, or by both. */
export type SearchMode = 'hybrid' | 'lexical' | 'vector';

/** How a score came about, for `--explain`. */
export interface ScoreExplanation {
  /** Share of each side in the score; they add up to 1. */
  readonly textShare: number;
  readonly vectorShare: number;
  /** Cosine of the passage's vector and the question's; null without a vector. */
  readonly similarity: number | null;
  /** What age has left of the score, and that age in days; null where nothing decays. */
  readonly decay: { readonly factor: number; readonly ageDays: number } | null;
  /** Place by score alone, 1-based, and how much of its words a result above it has; null without MMR. */
  readonly diversity: { readonly placeBefore: number; readonly overlap: number } | null;
}

/** One answer: a passage of a document. */
export interface SearchResult extends LineRange {
  /** Workspace-relative, forward slashes. */
  readonly path: string;
  readonly source: Source;
  readonly kind: DocumentKind;
  /** Of an image or a recording, by its content. */
  readonly mimeType?: string;
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
  /** What its words score, 0 to 1; absent when words were not asked. */
  readonly textScore?: number;
  /** What its vector scores, 0 to 1; absent for a passage without one. */
  readonly vectorScore?: number;
  /** Only when asked for. */
  readonly explanation?: ScoreExplanation;
  /** Where query words stand in the snippet: UTF-16 offsets, end excluded, ascending. */
  readonly highlights: readonly TextSpan[];
}

/** A result before it is known what kind of document it is from. */
export type BareResult = Omit<SearchResult, 'kind' | 'mimeType'>;

/** A stretch of a string in UTF-16 units, end excluded. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/** Who answers: svc itself, or the external search program. */
export type BackendName = 'builtin' | 'ext';

/** The answer to a {@link SearchRequest}. */
export interface SearchResponse {
  readonly query: string;
  readonly mode: SearchMode;
  readonly backend: BackendName;
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
