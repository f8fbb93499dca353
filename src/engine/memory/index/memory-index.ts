import type { TreeSnapshot } from '../sync/tree-snapshot.js';
import type { Chunk, DocumentKey, FileFingerprint, SkippedFile, Source } from '../types.js';
import type { IndexIdentity } from './identity.js';

/** A document with everything the index keeps of it. */
export interface IndexedDocument extends DocumentKey {
  readonly fingerprint: FileFingerprint;
  /** SHA-256 of the bytes, hexadecimal. */
  readonly hash: string;
  readonly chunks: readonly Chunk[];
}

/** One thing that is different about a document. */
export type Change =
  | { readonly type: 'remove'; readonly key: DocumentKey }
  /** The content is as before, the fingerprint is not. */
  | { readonly type: 'touch'; readonly key: DocumentKey; readonly fingerprint: FileFingerprint }
  /** A new document, or one that replaces what was there under the same key. */
  | { readonly type: 'put'; readonly document: IndexedDocument };

/** Changes that belong together: all of them are in the index afterwards, or none. */
export interface ChangeSet {
  /** When the files were looked at, in milliseconds since the epoch. */
  readonly atMs: number;
  /** Taken one by one, so that a change set never lies in memory as a whole. */
  readonly changes: Iterable<Change>;
}

/** What the index knows of a document without its chunks. */
export interface StoredDocument extends DocumentKey {
  readonly fingerprint: FileFingerprint;
  readonly hash: string;
  /** When the file was last looked at, in milliseconds since the epoch. */
  readonly indexedMs: number;
}

/** Restricts a search; an absent field restricts nothing. */
export interface CandidateFilter {
  readonly sources?: readonly Source[];
  /** Keeps a document by its displayed path. */
  readonly path?: (path: string) => boolean;
}

/** A chunk that a query brought up. */
export interface LexicalCandidate extends Chunk, DocumentKey {
  readonly chunkId: number;
  /** SQLite's BM25, sign turned: larger is better, not comparable between queries. */
  readonly bm25: number;
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
  }[];
  /** Bytes on disk, side files included. */
  readonly bytes: number;
  /** When the last sync ended, in milliseconds since the epoch; undefined before the first. */
  readonly syncedMs: number | undefined;
}

/**
 * The index of one agent's memory. The methods are asynchronous so that a server-side database can
 * stand behind them; the SQLite one answers at once.
 */
export interface MemoryIndex {
  identity(): Promise<IndexIdentity>;
  statistics(): Promise<IndexStatistics>;
  documents(): Promise<readonly StoredDocument[]>;
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
  close(): void;
}
