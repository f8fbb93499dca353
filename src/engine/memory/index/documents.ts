import type { DocumentCounts } from '../output-schemas.js';
import type {
  Chunk,
  DocumentKey,
  DocumentKind,
  FileFingerprint,
  NoteFacts,
  NoteLink,
  PromotedLine,
  SkippedFile,
} from '../types.js';
import { headingPathOf, lineNumbersOf } from './lexical-text.js';

/** A document with everything the index stores of it. */
export interface IndexedDocument extends DocumentKey {
  readonly kind: DocumentKind;
  /** MIME type of a media file, detected from its content; absent for text. */
  readonly mimeType?: string | undefined;
  readonly fingerprint: FileFingerprint;
  /** SHA-256 of the bytes, hexadecimal, with a mark of the forgotten parts; for a transcript see load-transcript.ts. */
  readonly hash: string;
  readonly chunks: readonly Chunk[];
  /** Only of notes that say something about themselves. */
  readonly facts?: NoteFacts | undefined;
  /** Only of notes that link to something. */
  readonly links?: readonly NoteLink[] | undefined;
  /** Where reading resumes; only for documents that are appended to. */
  readonly resume?: string | undefined;
}

/** One difference between a document and the index. */
export type Change =
  | { readonly type: 'remove'; readonly key: DocumentKey }
  /** The content is unchanged, the fingerprint is not. */
  | { readonly type: 'touch'; readonly key: DocumentKey; readonly fingerprint: FileFingerprint }
  /** A new document, or a replacement under the same key. */
  | { readonly type: 'put'; readonly document: IndexedDocument }
  /** Appended content: the last `replacesLast` chunks are replaced by the given ones. */
  | { readonly type: 'extend'; readonly document: IndexedDocument; readonly replacesLast: number };

/** What the index knows of a document without its chunks. */
export interface StoredDocument extends Omit<IndexedDocument, 'chunks' | 'facts' | 'links'> {
  /** When the file was last read. */
  readonly indexedMs: number;
}

/** Whether it is a conversation that is not for this memory, kept only so that it is not read again. */
export function isLeftOut({ resume }: Pick<IndexedDocument, 'resume'>): boolean {
  return resume?.includes('"isExcluded":true') === true;
}

/** The links of a note. */
export type LinkingDocument = Pick<DocumentKey, 'path' | 'source'> & {
  readonly links: readonly NoteLink[];
};

/** What the index has of one document. */
export interface DocumentContent {
  readonly facts: NoteFacts | undefined;
  readonly chunks: readonly ChunkContent[];
}

interface ChunkContent extends Chunk {
  /** Whether it has a vector that is in use, or the provider refused to make one. */
  readonly vector: 'none' | 'refused' | 'stored';
}

export type { DocumentCounts };

/** Media documents, counted. */
export type MediaCounts = DocumentCounts['media'];

/** What a finished sync leaves behind. */
export interface SyncMark {
  /** When it ended; undefined before the first. */
  readonly syncedMs: number | undefined;
  /** The files it could not read. */
  readonly skipped: readonly SkippedFile[];
}

/**
 * What a scan saw, in a form that is cheap to compare: equal snapshots mean that nothing was added, changed,
 * moved or removed.
 */
export interface TreeSnapshot {
  /**
   * The displayed paths in scan order, with their kinds if not notes, joined by `//`, which no path contains. The SQLite of
   * Node.js 22 reads a text only up to NUL.
   */
  readonly paths: string;
  /** For each path: size, mtimeMs and ctimeMs as 64-bit floats. */
  readonly fingerprints: Buffer;
}

/** The row of a document whose content is read. */
export interface ContentRow {
  readonly id: number;
  /** JSON. */
  readonly facts: string | null;
}

/** A document as an index stores it. */
export interface StoredDocumentRow
  extends FileFingerprint,
    Omit<StoredDocument, 'fingerprint' | 'mimeType' | 'resume'> {
  readonly mimeType: string | null;
  readonly resume: string | null;
}

/** @param double selects a column of floating-point numbers */
export function storedDocumentColumns(double: (column: string) => string): string {
  return `source, path, kind, size, ${double('mtime_ms')} AS "mtimeMs", ${double('ctime_ms')} AS "ctimeMs", hash,
    indexed_ms AS "indexedMs", mime_type AS "mimeType", resume`;
}

/** A row with its stored columns decoded. */
export function storedDocumentOf<Row extends StoredDocumentRow>({
  size,
  mtimeMs,
  ctimeMs,
  mimeType,
  resume,
  ...row
}: Row) {
  return {
    ...row,
    fingerprint: { size, mtimeMs, ctimeMs },
    ...(mimeType === null ? {} : { mimeType }),
    ...(resume === null ? {} : { resume }),
  };
}

/** The columns of a chunk that are not stored as they are used. */
export interface ChunkColumns {
  readonly headings: string;
  readonly lineNumbers: string | null;
}

/** A row with its stored columns decoded. */
export function chunkOf<Row extends ChunkColumns>({ headings, lineNumbers, ...row }: Row) {
  const numbers = lineNumbersOf(lineNumbers);
  return {
    ...row,
    headingPath: headingPathOf(headings),
    ...(numbers === undefined ? {} : { lineNumbers: numbers }),
  };
}

/** A chunk as an index stores it. */
export type ContentChunkRow = ChunkColumns & Omit<ChunkContent, 'headingPath' | 'lineNumbers'>;

/** The content of a document from its rows. */
export function contentOf(
  { facts }: ContentRow,
  chunks: readonly ContentChunkRow[],
): DocumentContent {
  return {
    facts: facts === null ? undefined : JSON.parse(facts),
    chunks: chunks.map(chunkOf),
  };
}

/** What an index stores of one source. */
export type SourceRow = Omit<DocumentCounts['bySource'][number], 'brokenLines'> & {
  readonly brokenLines: number;
};

/** The counts of an index, from those of its sources. */
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

/** The promoted lines among facts. */
export function promotedIn(facts: string | null | undefined): readonly PromotedLine[] {
  const { promoted = [] }: NoteFacts = JSON.parse(facts ?? '{}');
  return promoted;
}
