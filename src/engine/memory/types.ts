import type * as z from 'zod/mini';
import type { kind, skipped, source } from './output-schemas.js';

/** Where a document comes from, as in the `sources` setting and `--source`. */
export type Source = z.infer<typeof source>;

export const SOURCES: readonly Source[] = ['memory', 'sessions'];

/** A memory by its agent's id; null with `--workspace`. */
export interface AgentMemory {
  readonly agentId: string | null;
}

/** A range of lines in one document: 1-based, both ends included. */
export interface LineRange {
  readonly startLine: number;
  readonly endLine: number;
}

/** Lines of a document that are forgotten. */
export interface ForgottenPlace extends LineRange {
  readonly path: string;
}

/** Whether two ranges of one document have a line in common. */
export function overlaps(a: LineRange, b: LineRange): boolean {
  return a.startLine <= b.endLine && b.startLine <= a.endLine;
}

/** Overlapping and adjacent ranges as one, in order. */
export function mergedRanges(ranges: readonly LineRange[]): readonly LineRange[] {
  const merged: { startLine: number; endLine: number }[] = [];
  for (const { startLine, endLine } of ranges.toSorted((a, b) => a.startLine - b.startLine)) {
    const last = merged.at(-1);
    if (last === undefined || startLine > last.endLine + 1) merged.push({ startLine, endLine });
    else last.endLine = Math.max(last.endLine, endLine);
  }
  return merged;
}

/** The unit of indexing and of search results: whole lines that belong together. */
export interface Chunk extends LineRange {
  /** The headings above the chunk, outermost first. */
  readonly headingPath: readonly string[];
  /** The lines, joined by `\n`; part of a line if that line alone is over budget. */
  readonly text: string;
  /**
   * The document line of each line of the text, if they are not consecutive from {@link startLine}: a
   * transcript's lines are JSON, and some contain no conversation.
   */
  readonly lineNumbers?: readonly number[] | undefined;
}

/** File attributes; equal fingerprints mean that the content is unchanged. */
export interface FileFingerprint {
  readonly size: number;
  /** Milliseconds since the epoch, including fractions. */
  readonly mtimeMs: number;
  readonly ctimeMs: number;
}

/** The `ctimeMs` of a document in an index whose file has to be read again, as when the forget list has changed. */
export const READ_AGAIN_MS = -1;
/** That of a document of which reading was interrupted, so that the index has its first part only. */
export const READ_IN_PART_MS = 0;

export function isSameFingerprint(a: FileFingerprint, b: FileFingerprint): boolean {
  return a.size === b.size && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs;
}

/** How a document is read and chunked. */
export type DocumentKind = z.infer<typeof kind>;

export type Modality = 'audio' | 'image';

/** A document's identity: its source and its workspace-relative path with forward slashes. */
export interface DocumentKey {
  readonly source: Source;
  readonly path: string;
  /** In a shared memory, the host that has the file; absent for this host. */
  readonly origin?: string | undefined;
}

export function isSameDocument(a: DocumentKey, b: DocumentKey): boolean {
  return a.path === b.path && a.source === b.source && a.origin === b.origin;
}

/** A document's identity as a key of maps. */
export function documentKeyText({ source, path, origin = '' }: DocumentKey): string {
  return `${source}:${origin}:${path}`;
}

/** A value of front matter. Dates are texts such as `2026-02-03`. */
export type FactValue = FactItem | readonly FactItem[];
export type FactItem = boolean | number | string;

/** What a note says about itself, for filters. */
export interface NoteFacts {
  /** The day in `date` or `created`, as a day number. */
  readonly day?: number;
  /** In lower case, of the front matter and the text. */
  readonly tags?: readonly string[];
  /** By their keys in lower case. */
  readonly properties?: Readonly<Record<string, FactValue>>;
  /** Why the front matter cannot be read. */
  readonly fault?: string;
  /** The lines that dreaming copied from notes. */
  readonly promoted?: readonly PromotedLine[];
}

/** A line of long-term memory, and where the statement was that it was made of. */
export interface PromotedLine {
  readonly line: number;
  readonly from: LineRange & { readonly path: string };
}

/** A link of a note, as written. */
export interface NoteLink {
  /** `[[Target]]`, or `[label](target.md)`. */
  readonly kind: 'markdown' | 'wiki';
  readonly line: number;
  /** A path or a name, without the heading. */
  readonly target: string;
  readonly heading?: string;
}

/** A file to be indexed. */
export interface SourceFile extends DocumentKey, FileFingerprint {
  readonly kind: DocumentKind;
  readonly absolutePath: string;
}

/** Why a file is not in the index. */
export type SkipReason = SkippedFile['reason'];

/** A skipped file or folder, and why. */
export type SkippedFile = Readonly<z.infer<typeof skipped>[number]>;
