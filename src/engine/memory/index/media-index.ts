import type { DocumentKey, DocumentKind } from '../types.js';

/*
 * What an index tells of documents that are no text; see MemoryIndex.
 */

/** What kind of document stands under a key. */
export type DescribedDocument = DocumentKey & {
  readonly kind: DocumentKind;
  /** What a media file is by its content; absent for text. */
  readonly mimeType?: string;
};

/** A media document whose content has no vector yet. */
export interface MissingMedia {
  readonly chunkId: number;
  /** Names what is embedded: the type and the content of the file (see content-hash.ts). */
  readonly hash: Buffer;
  /** The displayed path. */
  readonly path: string;
  readonly label: string;
  readonly mimeType: string;
  /** SHA-256 of the bytes, hexadecimal. */
  readonly contentHash: string;
  readonly bytes: number;
}

/** Media whose content has no vector yet under an identity. */
export interface MissingMediaCount {
  readonly files: number;
  readonly bytes: number;
}

/** A content that a provider does not take, and its words on it. */
export interface RefusedContent {
  readonly hash: Buffer;
  readonly why: string;
  /** Whether it is that of a media file. */
  readonly isMedia: boolean;
}

/** A media document that a provider does not take. */
export interface RefusedMedia {
  readonly identity: string;
  /** The displayed path. */
  readonly path: string;
  readonly mimeType: string;
  readonly why: string;
}

/** Media documents, counted. */
export interface MediaCounts {
  readonly images: number;
  readonly audio: number;
}

/** Media that were picked from all over the index. */
export interface MediaSample {
  /** The chunks of all media of the index. */
  readonly chunkIds: ReadonlySet<number>;
  /** Cosines of the query to some of them. */
  readonly similarities: readonly number[];
}
