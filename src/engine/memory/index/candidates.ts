import type { DayRange } from '../../support/day.js';
import type { Chunk, DocumentKey, DocumentKind, NoteFacts, Source } from '../types.js';

/** Restricts a search; an absent field restricts nothing. */
export interface CandidateFilter {
  readonly sources?: readonly Source[] | undefined;
  readonly kinds?: readonly DocumentKind[] | undefined;
  /** Keeps documents by their displayed path. */
  readonly path?: ((path: string) => boolean) | undefined;
  /** Keeps documents; `by-chunk` where it depends on their chunks. */
  readonly document?: ((document: FilteredDocument) => boolean | 'by-chunk') | undefined;
  /** Keeps chunks of the documents that are kept. */
  readonly chunk?: ((chunk: FilteredChunk, document: FilteredDocument) => boolean) | undefined;
  /** Whether {@link chunk} decides about all documents, and not only where it depends on their chunks. */
  readonly chunkDecides?: boolean | undefined;
  /** What every kept chunk contains, in its headings or its text; case is ignored. */
  readonly contains?: string | undefined;
}

/** What a filter can know of a document. */
export interface FilteredDocument {
  readonly source: Source;
  readonly path: string;
  readonly kind: DocumentKind;
  /** Milliseconds since the epoch. */
  readonly modifiedMs: number;
  readonly facts: NoteFacts | undefined;
}

/** What a filter can know of a chunk. */
export interface FilteredChunk {
  readonly headingPath: readonly string[];
  readonly text: string;
  /** What its headings date it to. */
  readonly days: DayRange | undefined;
}

/** A chunk that a query matched. */
export interface LexicalCandidate extends Chunk, DocumentKey {
  readonly chunkId: number;
  /** SQLite's BM25 with its sign flipped: larger is better, not comparable between queries. */
  readonly bm25: number;
  /** The language its words are stemmed in; absent for English. */
  readonly language?: string | null;
}

/** Words of a query that the best chunks are likely to have, so that only chunks with one of them need a score. */
export interface TellingWords {
  /** A full-text expression for chunks with one of them. */
  readonly match: string;
  /** All other chunks score less. */
  readonly scoreWithout: number;
}

/** Which chunks of some days are wanted. */
export interface DatedQuestion {
  readonly days: DayRange;
  /** A full-text expression that orders them; undefined without words. */
  readonly match: string | undefined;
  /** Whether a chunk must match {@link match}. */
  readonly mustMatch: boolean;
  /** A full-text expression that a chunk must not match. */
  readonly except: string | undefined;
  readonly limit: number;
  readonly filter: CandidateFilter;
}

/** A word as it is in the full-text index: folded and stemmed. */
export interface IndexTerm {
  readonly term: string;
  /** How many chunks contain it. */
  readonly chunks: number;
}

/** A chunk of which a piece is near a query. */
export interface VectorCandidate extends Chunk, DocumentKey {
  readonly chunkId: number;
  /** Cosine of the nearest piece, -1 to 1. */
  readonly similarity: number;
}

/** Media sampled evenly from the index. */
export interface MediaSample {
  /** The chunks of all media. */
  readonly chunkIds: ReadonlySet<number>;
  /** Cosines between the query and some of them. */
  readonly similarities: readonly number[];
}
