import type { StoredBatchJob } from '../../embeddings/index.js';
import type { DayRange } from '../../support/day.js';
import type { DocumentKey, PromotedLine, Source } from '../types.js';
import type {
  CandidateFilter,
  DatedQuestion,
  EssentialTerms,
  IndexTerm,
  LexicalCandidate,
} from './candidates.js';
import type {
  Change,
  DocumentContent,
  DocumentCounts,
  LinkingDocument,
  MediaCounts,
  StoredDocument,
  SyncMark,
  TreeSnapshot,
} from './documents.js';
import type { IndexIdentity } from './identity.js';
import type { Language } from './languages.js';
import type { VectorIndex } from './vector-index.js';

/** Changes that are applied together: all of them or none. */
export interface ChangeSet {
  /** Before the first of the files was read. */
  readonly atMs: number;
  /** Vectors will follow, so contents are hashed now, which is cheaper than later. */
  readonly vectorsFollow: boolean;
  /** Consumed one by one, so that a change set is never in memory as a whole. */
  readonly changes: Iterable<Change>;
  /** Ends what it does besides the changes. */
  readonly signal?: AbortSignal | undefined;
}

/** A note whose front matter cannot be read; its text is indexed. */
export interface FrontMatterFault {
  readonly path: string;
  readonly why: string;
}

/** A batch job at a provider that has not been collected yet. */
export interface BatchJob extends StoredBatchJob {
  readonly identity: string;
}

interface IndexStatistics extends DocumentCounts {
  /** Bytes on disk, including side files. */
  readonly bytes: number;
  /** When the last sync ended; undefined before the first. */
  readonly syncedMs: number | undefined;
}

/**
 * The index of one agent's memory, kept in SQLite (sqlite/) or PostgreSQL (postgres/).
 *
 * Several hosts may share a memory. Each has documents of its own, its *origin*: what is written, listed and
 * compared with files is the origin's that the index was opened for. Searches cover all of them.
 *
 * Vectors are kept by embedding identity, an opaque string that is equal only for vectors that can be
 * compared with each other.
 */
export interface MemoryIndex extends VectorIndex {
  identity(): Promise<IndexIdentity>;

  /** The index for one search, which does not check before each step whether others have changed it. */
  view(): Promise<MemoryIndex>;

  /** Whether anything of a source is indexed. */
  hasDocuments(source: Source): Promise<boolean>;

  /** The documents of this origin. @param paths only those with one of these paths; all by default */
  documents(paths?: readonly string[]): Promise<readonly StoredDocument[]>;

  /** The lines that dreaming wrote into a document. */
  promotedLines(key: DocumentKey): Promise<readonly PromotedLine[]>;

  /** The documents of this origin with links. */
  links(): Promise<readonly LinkingDocument[]>;

  /** What is stored of a document of this origin; undefined if it is not in the index. */
  content(key: DocumentKey): Promise<DocumentContent | undefined>;

  mediaCounts(): Promise<MediaCounts>;

  statistics(): Promise<IndexStatistics>;

  /** Applies a change set in one transaction. */
  apply(changes: ChangeSet): Promise<void>;

  /** How the last finished sync left the index. */
  syncMark(): Promise<SyncMark>;

  /** Whether that sync saw these files, and none of them has been indexed since. */
  hasTree(tree: TreeSnapshot): Promise<boolean>;

  /**
   * Records that the index mirrors the files.
   *
   * @param tree the files it saw; undefined when they were too fresh to compare later
   */
  markSynced(mark: SyncMark, tree: TreeSnapshot | undefined): Promise<void>;

  /**
   * The best chunks for a full-text expression, best first; ties by path and line.
   *
   * @param match an expression made by matchExpression, never raw user input
   * @param essential only saves time; the result is the same without
   */
  lexicalCandidates(
    match: string,
    limit: number,
    filter?: CandidateFilter,
    essential?: EssentialTerms,
  ): Promise<readonly LexicalCandidate[]>;

  /** Chunks that contain a text verbatim (ASCII case ignored), for queries without words. */
  literalCandidates(
    text: string,
    limit: number,
    filter?: CandidateFilter,
  ): Promise<readonly LexicalCandidate[]>;

  /** How many chunks are dated to one of these days. */
  countDated(days: DayRange): Promise<number>;

  /** The chunks of some days, with words of the query first. */
  datedCandidates(question: DatedQuestion): Promise<readonly LexicalCandidate[]>;

  /** How many chunks a full-text expression matches. */
  countMatches(match: string, filter?: CandidateFilter): Promise<number>;

  /** The number of chunks, and how many of them each expression matches. */
  termStatistics(
    matches: readonly string[],
  ): Promise<{ readonly chunks: number; readonly frequencies: readonly number[] }>;

  /** The languages, other than English, that words of some files are stemmed in. */
  languages(): Promise<readonly Language[]>;

  /** The indexed words from `first` up to, but not including, `end`. */
  termsBetween(first: string, end: string): Promise<readonly IndexTerm[]>;

  /** For each full-text expression the texts of some chunks that match it, without ranking them. */
  someTexts(matches: readonly string[], limit: number): Promise<readonly (readonly string[])[]>;

  /** BM25 of given chunks under an expression; chunks that do not match are absent. */
  lexicalScores(match: string, chunkIds: readonly number[]): Promise<ReadonlyMap<number, number>>;

  /** Which host embeds what; undefined for a memory in a file. */
  readonly claims?: EmbeddingClaims | undefined;

  /** Notes of this host whose front matter cannot be read, by path. */
  frontMatterFaults(): Promise<readonly FrontMatterFault[]>;

  /** The batch jobs of an identity, or of all, oldest first. */
  batchJobs(identity?: string): Promise<readonly BatchJob[]>;

  /** Adds a job, or replaces the one with the same id. */
  saveBatchJob(job: BatchJob): Promise<void>;

  removeBatchJob(id: string): Promise<void>;

  close(): void;
}

/** The passages that hosts of a shared memory got from `missingEmbeddings`, and have not stored a vector for yet. */
export interface EmbeddingClaims {
  /** Leaves those of this host to the others, except for what waits for a job of its provider. */
  release(identity: string): Promise<void>;

  /** The other hosts that are embedding, by name. */
  others(identity: string): Promise<readonly string[]>;
}
