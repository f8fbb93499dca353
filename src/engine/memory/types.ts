/** Where a document comes from; what `sources` in the configuration and `--source` name. */
export type Source = 'memory' | 'sessions';

/** A stretch of lines of one document: 1-based, both ends included. */
export interface LineRange {
  readonly startLine: number;
  readonly endLine: number;
}

/** The unit of indexing and of search results: whole lines that belong together. */
export interface Chunk extends LineRange {
  /** Titles of the headings that the chunk stands under, outermost first. */
  readonly headingPath: readonly string[];
  /** The lines' text, joined by `\n`; a part of one line when that line alone is over budget. */
  readonly text: string;
  /**
   * For each line of the text its line in the document, where they do not simply follow each other
   * from {@link startLine} on: a transcript's lines are JSON, and not all of them say something.
   */
  readonly lineNumbers?: readonly number[] | undefined;
}

/** What the file system says of a file; equal fingerprints mean the content was not touched. */
export interface FileFingerprint {
  readonly size: number;
  /** Milliseconds since the epoch, with the fraction the file system gives. */
  readonly mtimeMs: number;
  readonly ctimeMs: number;
}

/** How a document is read and cut into chunks. */
export type DocumentKind = 'markdown' | 'media' | 'transcript';

/** What a media file is for a person. */
export type Modality = 'audio' | 'image';

/** A document's name: its source and its workspace-relative path with forward slashes. */
export interface DocumentKey {
  readonly source: Source;
  readonly path: string;
}

/** A file that a source offers for indexing. */
export interface SourceFile extends DocumentKey, FileFingerprint {
  readonly kind: DocumentKind;
  readonly absolutePath: string;
}

/** Why a file is not in the index. */
export type SkipReason =
  | 'missing'
  | 'permission_denied'
  | 'symlink'
  | 'too_large'
  | 'unreadable'
  | 'vanished'
  | 'wrong_format';

/** A file or folder that was left out, and why; never silently. */
export interface SkippedFile {
  readonly path: string;
  readonly reason: SkipReason;
  /** For people: the figure or the system's words behind the reason. */
  readonly detail?: string;
}

/**
 * Skips that a person should hear of unasked. Ignoring a symbolic link met on the way is as the
 * specification has it; one that was configured comes with a detail.
 */
export function isFaultySkip(skip: SkippedFile): boolean {
  return skip.reason !== 'symlink' || skip.detail !== undefined;
}
