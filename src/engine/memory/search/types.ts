import type { Warning } from '../../errors/index.js';
import type { Reranking } from '../../rerank/index.js';
import type { QueryEmbedder } from '../embedding/query-embedder.js';
import type { Source } from '../types.js';
import type { CitationMode } from './citation.js';
import type { FusionShares } from './fuse.js';
import type { SearchOutput } from './output-schemas.js';
import type { TextSpan } from './words.js';

export interface SearchRequest {
  readonly query: string;
  /** Defaults to `query.maxResults`. */
  readonly maxResults?: number | undefined;
  /** 0 to 1. Defaults to `query.minScore`. */
  readonly minScore?: number | undefined;
  /** Only these sources; by default all that are indexed. */
  readonly sources?: readonly Source[] | undefined;
  /** Only documents whose displayed path matches this glob. */
  readonly pathGlob?: string | undefined;
  /** Only what these keep. */
  readonly filters?: SearchFilters | undefined;
  /** Passages of conversations that go on now come last: whoever asks has them in view. */
  readonly currentLast?: boolean | undefined;
  /** Passages that say the same are results of their own, for forgetting all of them. */
  readonly keepRepeats?: boolean | undefined;
  readonly explain?: boolean | undefined;
  /** Keywords only, regardless of the configuration: for results while typing. */
  readonly lexicalOnly?: boolean | undefined;
  /** False keeps the order without the reranker. */
  readonly rerank?: boolean | undefined;
  /**
   * The query is still being typed: its last word also matches as a prefix. With `lexicalOnly`, an existing index is
   * searched as it is.
   */
  readonly unfinished?: boolean | undefined;
  /** Search for the words as typed, even if the index does not have them. */
  readonly exact?: boolean | undefined;
}

/** Filters as a person writes them. */
export interface SearchFilters {
  /** Dates as in questions, or durations before today such as `7d`. */
  readonly since?: string | undefined;
  /** The first day that is left out. */
  readonly before?: string | undefined;
  readonly on?: string | undefined;
  /** Conditions about front matter: `key=value`, `key>value`, `key<value`. All must be met. */
  readonly where?: readonly string[] | undefined;
  /** All of them. */
  readonly tags?: readonly string[] | undefined;
  /** A part of a heading above the passage, or in it. */
  readonly heading?: string | undefined;
  /** Kinds of documents, any of them; see filters.ts. */
  readonly kinds?: readonly string[] | undefined;
}

/** A word of the query that the index does not have, and what was searched instead. */
export type Correction = SearchOutput['corrections'][number];

export type SearchMode = SearchOutput['mode'];

/** How a score was computed, for `--explain`. */
export type ScoreExplanation = NonNullable<SearchResult['explanation']>;

/** One result: a passage of a document. */
export type SearchResult = SearchOutput['results'][number] & {
  /** Positions of query words in the snippet: UTF-16 offsets, end excluded, ascending. */
  readonly highlights: readonly TextSpan[];
  /** The position of the best line among those of the snippet; undefined if none has a word of the query. */
  readonly bestLine?: number | undefined;
};

export interface SearchResponse extends Omit<SearchOutput, 'agent' | 'results' | 'workspace'> {
  /** Best first; of ties the newer, then by path and line. */
  readonly results: readonly SearchResult[];
  readonly warnings: readonly Warning[];
}

/** What the configuration and the host determine about a search. */
export interface SearchOptions {
  readonly citations: CitationMode;
  /** The configured sources; undefined for all that are indexed. */
  readonly sources?: readonly Source[];
  /** Characters per snippet, on average over ten results. */
  readonly snippetChars: number;
  /** How many candidates are ranked per requested result (memory search §2.5). */
  readonly candidateMultiplier: number;
  readonly maxResults: number;
  /** `query.minScore`, the default minimum; see {@link SearchRequest.minScore}. */
  readonly minScore: number;
  /** Weights of keywords and vectors in hybrid search. */
  readonly shares: FusionShares;
  /** `query.hybrid.enabled`: false uses only vectors when available. */
  readonly hybrid: boolean;
  /** In days; undefined disables temporal decay. */
  readonly halfLifeDays: number | undefined;
  /** Undefined disables diversification. */
  readonly mmrLambda: number | undefined;
  /** Undefined without a provider. */
  readonly embedder: Pick<QueryEmbedder, 'embed' | 'reject'> | undefined;
  /** Undefined without `query.rerank`. */
  readonly reranking?: Reranking | undefined;
  /** Milliseconds since the epoch, for ages and dates. */
  readonly nowMs: number;
  /** An IANA name, for dates; undefined means the host's. */
  readonly timeZone?: string | undefined;
  /** Earlier warnings, to include in the response. */
  readonly warnings: readonly Warning[];
}
