import type { TreeSnapshot } from '../sync/tree-snapshot.js';
import type {
  Chunk,
  DocumentKey,
  DocumentKind,
  FileFingerprint,
  SkippedFile,
  Source,
} from '../types.js';
import type { IndexIdentity } from './identity.js';
import type {
  DescribedDocument,
  MediaCounts,
  MediaSample,
  MissingMedia,
  MissingMediaCount,
  RefusedContent,
  RefusedMedia,
} from './media-index.js';
import type { VectorExtension } from './vectors/extension.js';

/** A document with everything the index keeps of it. */
export interface IndexedDocument extends DocumentKey {
  readonly kind: DocumentKind;
  /** What a media file is by its content; absent for text. */
  readonly mimeType?: string | undefined;
  readonly fingerprint: FileFingerprint;
  /**
   * SHA-256 of the bytes, hexadecimal, and a mark of what of them is forgotten; of a transcript, see
   * prefix-print.ts.
   */
  readonly hash: string;
  readonly chunks: readonly Chunk[];
  /** Where its reading goes on; only documents that are appended to have one. */
  readonly resume?: string | undefined;
}

/** One thing that is different about a document. */
export type Change =
  | { readonly type: 'remove'; readonly key: DocumentKey }
  /** The content is as before, the fingerprint is not. */
  | { readonly type: 'touch'; readonly key: DocumentKey; readonly fingerprint: FileFingerprint }
  /** A new document, or one that replaces what was there under the same key. */
  | { readonly type: 'put'; readonly document: IndexedDocument }
  /** More of a document that is there: its last `replacesLast` chunks go, those given come after the rest. */
  | { readonly type: 'extend'; readonly document: IndexedDocument; readonly replacesLast: number };

/** Changes that belong together: all of them are in the index afterwards, or none. */
export interface ChangeSet {
  /** When the files were looked at, in milliseconds since the epoch. */
  readonly atMs: number;
  /** Vectors will follow: contents are named as they are written, which is cheaper than afterwards. */
  readonly vectorsFollow: boolean;
  /** Taken one by one, so that a change set never lies in memory as a whole. */
  readonly changes: Iterable<Change>;
}

/** What the index knows of a document without its chunks. */
export interface StoredDocument extends DocumentKey {
  readonly kind: DocumentKind;
  /** What a media file is by its content; absent for text. */
  readonly mimeType?: string | undefined;
  readonly fingerprint: FileFingerprint;
  readonly hash: string;
  /** See {@link IndexedDocument.resume}. */
  readonly resume?: string | undefined;
  /** When the file was last looked at, in milliseconds since the epoch. */
  readonly indexedMs: number;
}

/** Restricts a search; an absent field restricts nothing. */
export interface CandidateFilter {
  readonly sources?: readonly Source[];
  readonly kinds?: readonly DocumentKind[];
  /** Keeps a document by its displayed path. */
  readonly path?: (path: string) => boolean;
}

/** A chunk that a query brought up. */
export interface LexicalCandidate extends Chunk, DocumentKey {
  readonly chunkId: number;
  /** SQLite's BM25, sign turned: larger is better, not comparable between queries. */
  readonly bm25: number;
}

/** A chunk that has no vector yet. */
export interface MissingEmbedding {
  readonly chunkId: number;
  /** Names what is embedded: the heading path and the text (see content-hash.ts). */
  readonly hash: Buffer;
  readonly headingPath: readonly string[];
  readonly text: string;
}

/** A vector to keep, by what it was made of. */
export interface EmbeddingEntry {
  readonly hash: Buffer;
  readonly vector: Float32Array;
}

/** Up to `limit` rows with ids above `after`. */
export interface IdPage {
  readonly after: number;
  readonly limit: number;
}

/** A vector that is kept. */
export interface StoredEmbedding extends EmbeddingEntry {
  readonly id: number;
}

/** A chunk whose vector is near to a query's. */
export interface VectorCandidate extends Chunk, DocumentKey {
  readonly chunkId: number;
  /** Cosine, -1 to 1. */
  readonly similarity: number;
}

/** What is kept under one embedding identity. */
export interface VectorSpaceStatistics {
  readonly identity: string;
  readonly dimensions: number;
  /** Chunks of the index with a vector here. */
  readonly chunks: number;
  /** Vectors kept for texts that are not in the index now. */
  readonly cached: number;
  /** Chunks that the provider does not take. */
  readonly refused: number;
}

/** Which vectors are worth keeping. */
export interface TidyOptions {
  /** Identities that are in use. All vectors of another count as unused. */
  readonly keepIdentities: readonly string[];
  /** How many unused vectors stay, the last used ones; 0 for none. */
  readonly cacheEntries: number;
  /** Now, in milliseconds since the epoch. */
  readonly atMs: number;
}

/** A job at a provider that was sent and not fetched yet. */
export interface BatchJob {
  readonly id: string;
  readonly identity: string;
  /** What its owner needs to go on with it. */
  readonly json: string;
  /** Milliseconds since the epoch. */
  readonly createdMs: number;
}

/** What a finished sync leaves behind. */
export interface SyncMark {
  /** When it ended, in milliseconds since the epoch; undefined before the first. */
  readonly syncedMs: number | undefined;
  /** The files it saw; undefined when they were too fresh to tell, or changed since. */
  readonly tree: TreeSnapshot | undefined;
  /** The files it could not read. */
  readonly skipped: readonly SkippedFile[];
}

/** Size and content of an index. */
export interface IndexStatistics {
  readonly documents: number;
  readonly chunks: number;
  readonly bySource: readonly {
    readonly source: Source;
    readonly documents: number;
    readonly chunks: number;
    /** Lines of transcripts that could not be read; absent where there are none. */
    readonly brokenLines?: number;
  }[];
  /** Media among the documents. */
  readonly media: MediaCounts;
  /** Bytes on disk, side files included. */
  readonly bytes: number;
  /** When the last sync ended, in milliseconds since the epoch; undefined before the first. */
  readonly syncedMs: number | undefined;
}

/**
 * The index of one agent's memory. The methods are asynchronous so that a server-side database can
 * stand behind them; the SQLite one answers at once.
 */
export interface MemoryIndex extends VectorIndex {
  identity(): Promise<IndexIdentity>;
  statistics(): Promise<IndexStatistics>;
  documents(): Promise<readonly StoredDocument[]>;
  /** Those of some documents that are there, in any order. */
  describe(keys: readonly DocumentKey[]): Promise<readonly DescribedDocument[]>;
  mediaCounts(): Promise<MediaCounts>;
  /** Applies a change set in one transaction. */
  apply(changeSet: ChangeSet): Promise<void>;
  /** How the last finished sync left the index. */
  syncMark(): Promise<SyncMark>;
  /** Notes that the index mirrors the files. */
  markSynced(mark: SyncMark): Promise<void>;
  /**
   * The best chunks for a full-text expression, best first; ties by path and line.
   *
   * @param match an expression made by matchExpression, never a person's raw words
   */
  lexicalCandidates(
    match: string,
    limit: number,
    filter?: CandidateFilter,
  ): Promise<readonly LexicalCandidate[]>;
  /** Chunks that contain a text as it stands (ASCII case ignored), for what has no words. */
  literalCandidates(
    text: string,
    limit: number,
    filter?: CandidateFilter,
  ): Promise<readonly LexicalCandidate[]>;
  /** How many chunks a full-text expression matches. */
  countMatches(match: string, filter?: CandidateFilter): Promise<number>;
  /** The size of the index in chunks, and in how many of them each expression occurs. */
  termStatistics(
    matches: readonly string[],
  ): Promise<{ readonly chunks: number; readonly frequencies: readonly number[] }>;
  /**
   * BM25 of given chunks under an expression, as in {@link LexicalCandidate}; those it does not
   * match are absent.
   */
  lexicalScores(match: string, chunkIds: readonly number[]): Promise<ReadonlyMap<number, number>>;
  close(): void;
}

/**
 * The vectors of an index. Each stands under an embedding identity, a string that is equal for two
 * vectors only when they can be compared; here it is opaque.
 */
export interface VectorIndex {
  /** The identities that vectors are kept under for use, not only in the cache. */
  vectorIdentities(): Promise<readonly string[]>;
  /** What is kept, by identity. */
  vectorSpaces(): Promise<readonly VectorSpaceStatistics[]>;
  /**
   * Up to `limit` chunks of text without a vector under an identity whose id is above `after`, by
   * id. Of chunks with equal content the first stands for all; none are returned only when none are
   * left.
   */
  missingEmbeddings(
    identity: string,
    after: number,
    limit: number,
  ): Promise<readonly MissingEmbedding[]>;
  /** A page of the vectors that notes use, by id. */
  storedEmbeddings(identity: string, page: IdPage): Promise<readonly StoredEmbedding[]>;
  /** The same for the chunks of media. */
  missingMedia(identity: string, after: number, limit: number): Promise<readonly MissingMedia[]>;
  /** How many chunks have no vector under an identity. */
  countMissingEmbeddings(identity: string): Promise<number>;
  /** How many of them are media, and how large those files are. */
  countMissingMedia(identity: string): Promise<MissingMediaCount>;
  /**
   * Keeps vectors, brought to length 1, in one transaction. A content that has one already keeps it.
   *
   * @throws SvcError PROVIDER_ANSWER_INVALID when one has another length than the others under this
   * identity
   */
  putEmbeddings(identity: string, entries: readonly EmbeddingEntry[]): Promise<void>;
  /**
   * Notes contents that the provider of an identity does not take: none of them is missing then. Of
   * texts nothing is noted before the first vector, when a provider that takes nothing at all is the
   * likelier cause.
   */
  refuseEmbeddings(identity: string, refused: readonly RefusedContent[]): Promise<void>;
  /** The media documents that were noted as refused, by path. */
  refusedMedia(): Promise<readonly RefusedMedia[]>;
  /** Forgets the vectors that nothing uses, but for a cache of the last used ones. */
  tidyEmbeddings(options: TidyOptions): Promise<void>;
  /**
   * The chunks nearest to a query, best first; ties by path and line. None when nothing is kept
   * under the identity.
   *
   * @throws SvcError PROVIDER_ANSWER_INVALID when the query has another length than the vectors
   */
  vectorCandidates(
    identity: string,
    query: Float32Array,
    limit: number,
    filter?: CandidateFilter,
  ): Promise<readonly VectorCandidate[]>;
  /** Cosines of given chunks to a query; those without a vector are absent. */
  similarities(
    identity: string,
    query: Float32Array,
    chunkIds: readonly number[],
  ): Promise<ReadonlyMap<number, number>>;
  /** Cosines of the query to up to `count` texts from all over the index, whatever they are about. */
  sampleSimilarities(
    identity: string,
    query: Float32Array,
    count: number,
  ): Promise<readonly number[]>;
  /** The same for media, with the chunks of all of them. */
  sampleMedia(identity: string, query: Float32Array, count: number): Promise<MediaSample>;
  /** Tries to load the vector extension and tells what came of it. */
  vectorExtension(): Promise<VectorExtension>;
  /** The jobs noted under an identity, oldest first. */
  batchJobs(identity: string): Promise<readonly BatchJob[]>;
  /** Notes a job, or what is new about it. */
  saveBatchJob(job: BatchJob): Promise<void>;
  /** Forgets a job. */
  removeBatchJob(id: string): Promise<void>;
}
