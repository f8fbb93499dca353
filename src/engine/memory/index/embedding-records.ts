/** Vectors as they are stored, to copy them to another store. */
export interface PackedStore {
  count(): Promise<number>;
  /** By id. */
  page(page: IdPage): Promise<readonly PackedEmbedding[]>;
  /** Those of the same contents. */
  find(rows: readonly PackedEmbedding[]): Promise<readonly PackedEmbedding[]>;
  /** Adds those that are not there yet, in one transaction. @returns how many it added */
  put(rows: readonly PackedEmbedding[]): Promise<number>;
}

/** The vectors of a content as both stores keep them, with what identifies them; see vector-bytes.ts. */
export interface PackedEmbedding {
  /** Of the row in its store; grows. */
  readonly id: number;
  readonly identity: string;
  readonly dimensions: number;
  readonly hash: Buffer;
  readonly vector: Buffer;
  /** Whether a text of the memory uses it now; otherwise it is cached. */
  readonly used: boolean;
}

/** The vectors of a content: one of each of its pieces. */
export interface EmbeddingEntry {
  /** Hash of what is embedded (see content-hash.ts). */
  readonly hash: Buffer;
  readonly vectors: readonly Float32Array[];
}

/** Up to `limit` rows with ids above `after`. */
export interface IdPage {
  readonly after: number;
  readonly limit: number;
}

/** The vectors of a content in the index. */
export interface StoredEmbedding extends EmbeddingEntry {
  readonly id: number;
}

/** What is stored under one embedding identity. */
export interface VectorSpaceStatistics {
  readonly identity: string;
  readonly dimensions: number;
  /** Chunks of the index with a vector here. */
  readonly chunks: number;
  /** Vectors kept for texts that are not in the index now. */
  readonly cached: number;
  /** Chunks that the provider refuses. */
  readonly refused: number;
}

/** Content that a provider refuses, with its message. */
export interface RefusedContent {
  readonly hash: Buffer;
  readonly why: string;
  readonly isMedia: boolean;
}

/** A media document that a provider refuses. */
export interface RefusedMedia {
  readonly identity: string;
  /** The displayed path. */
  readonly path: string;
  readonly mimeType: string;
  readonly why: string;
}

/** A text chunk without a vector. */
export interface MissingEmbedding {
  readonly chunkId: number;
  /** Hash of what is embedded: the heading path and the text (see content-hash.ts). */
  readonly hash: Buffer;
  readonly headingPath: readonly string[];
  readonly text: string;
}

/** A media document whose content has no vector. */
export interface MissingMedia {
  readonly chunkId: number;
  /** Hash of what is embedded: the type and the content of the file (see content-hash.ts). */
  readonly hash: Buffer;
  /** The displayed path. */
  readonly path: string;
  readonly label: string;
  readonly mimeType: string;
  /** SHA-256 of the bytes, hexadecimal. */
  readonly contentHash: string;
  readonly bytes: number;
}

/** Media without a vector under an identity. */
export interface MissingMediaCount {
  readonly files: number;
  readonly bytes: number;
}

/** Which vectors are worth keeping. */
export interface TidyOptions {
  /** Identities in use; the vectors of all others count as unused. */
  readonly keepIdentities: readonly string[];
  /** Which of the others can never be used again; none by default. */
  readonly isSuperseded?: (identity: string) => boolean;
  /** How many unused vectors to keep, most recently used first. */
  readonly cacheEntries: number;
  readonly atMs: number;
}

/** The result of loading the extension; `why` is a clause for people. */
export type VectorExtension =
  | { readonly loaded: true; readonly version: string; readonly path: string }
  | { readonly loaded: false; readonly why: string };
