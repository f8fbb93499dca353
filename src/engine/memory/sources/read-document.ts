import { isAscii } from 'node:buffer';
import { fstatSync, readFileSync } from 'node:fs';
import { crypto } from '../../support/crypto.js';
import { isOpenedAt, READ_NO_LINK, systemErrorLike, withFile } from '../../support/files.js';
import { percentDecoded, textByMark } from '../../support/text.js';
import type { FileFingerprint, PromotedLine, SkippedFile } from '../types.js';
import { skipOf } from './skips.js';
import { lineAt, lineLength, type TextLines, textLines } from './text-lines.js';
import { fingerprintOf } from './walk.js';

export type DocumentText = Readonly<ReturnType<typeof documentOf>>;

/** Larger files are not notes: they are reported instead of indexed. */
export const MAX_DOCUMENT_BYTES = 64 * 1024 * 1024;

export type ReadOutcome = { readonly ok: true; readonly document: DocumentText } | SkippedDocument;

interface SkippedDocument {
  readonly ok: false;
  readonly skip: SkippedFile;
}

/** A file as it was read. */
export interface FileBytes {
  readonly bytes: Buffer;
  /** Taken before reading, so that a change during the read is noticed later. */
  readonly fingerprint: FileFingerprint;
}

export type BytesOutcome = ({ readonly ok: true } & FileBytes) | SkippedDocument;

/**
 * Reads a file for indexing. Invalid UTF-8 becomes U+FFFD and NUL becomes a space, so that the rest of a damaged file
 * can be found; UTF-16 is detected by its byte order mark.
 */
export function readDocument(absolutePath: string, path: string): ReadOutcome {
  const read = readBytes(absolutePath, path);
  return read.ok ? { ok: true, document: documentOf(read) } : read;
}

/** The text of a file that was read. */
export function documentOf({ bytes, fingerprint }: FileBytes) {
  return { fingerprint, hash: hashOf(bytes), lines: decode(bytes) };
}

/** The hash of a {@link DocumentText}: SHA-256, hexadecimal. */
export function hashOf(bytes: Buffer): string {
  return crypto().hash('sha256', bytes);
}

/**
 * Reads a file that is not too large and no link, in the same way for any format.
 *
 * @param absolutePath without links in it
 */
export function readBytes(absolutePath: string, path: string): BytesOutcome {
  try {
    return withFile(absolutePath, READ_NO_LINK, (descriptor): BytesOutcome => {
      if (!isOpenedAt(descriptor, absolutePath)) throw systemErrorLike('ELOOP');
      const fingerprint = fingerprintOf(fstatSync(descriptor));
      const { size } = fingerprint;
      if (size > MAX_DOCUMENT_BYTES) return { ok: false, skip: tooLarge(path, size) };
      const bytes = readFileSync(descriptor);
      const { length } = bytes;
      if (length > MAX_DOCUMENT_BYTES) return { ok: false, skip: tooLarge(path, length) };
      return { ok: true, bytes, fingerprint };
    });
  } catch (error) {
    return { ok: false, skip: { ...skipOf(absolutePath, error), path } };
  }
}

export function tooLarge(path: string, bytes: number): SkippedFile {
  const megabytes = (size: number): string => `${Math.round(size / 1024 / 1024)} MB`;
  const detail = `${megabytes(bytes)}, limit ${megabytes(MAX_DOCUMENT_BYTES)}`;
  return { path, reason: 'too_large', detail };
}

function decode(bytes: Buffer): TextLines {
  const ascii = isAscii(bytes);
  // One-byte strings take half the memory and are scanned twice as fast.
  const text = ascii ? bytes.toString('latin1') : textByMark(bytes);
  return textLines(text.includes('\0') ? text.replaceAll('\0', ' ') : text, ascii);
}

/** Where dreaming writes its reports in a workspace; not memory. */
export const DREAM_REPORTS = 'memory/dreaming';

const OWN_BLOCKS = ['diary', 'light', 'rem', 'deep'] as const;

/** The blocks dreaming writes into notes, delimited by comments. */
export type DreamBlock = (typeof OWN_BLOCKS)[number];

/** The comments around blocks that svc writes into notes. */
export function ownBlockMarks(name: DreamBlock): readonly [opening: string, closing: string] {
  return [`<!-- svc:dreaming:${name}:start -->`, `<!-- svc:dreaming:${name}:end -->`];
}

/** Start of the comment above a promoted entry of `MEMORY.md`. */
export const PROMOTION_MARK = '<!-- svc:memory-promotion:';

const PROMOTED_FROM =
  /^<!-- svc:memory-promotion:[0-9a-f]{16} sweep=\S+ from=(\S+)#L(\d+)(?:-L(\d+))? /u;

/** The entries of long-term memory that dreaming wrote, by the comments above them; undefined without any. */
export function promotedLines(lines: TextLines): readonly PromotedLine[] | undefined {
  if (!lines.text.includes(PROMOTION_MARK)) return undefined;
  const promoted: PromotedLine[] = [];
  for (let at = 0; at + 1 < lines.count; at++) {
    const mark = PROMOTED_FROM.exec(lineAt(lines, at));
    // A forgotten entry is empty.
    if (mark === null || lineLength(lines, at + 1) === 0) continue;
    const [, path = '', start = '', end = start] = mark;
    const range = { startLine: Number(start), endLine: Number(end) };
    promoted.push({ line: at + 2, from: { path: percentDecoded(path), ...range } });
  }
  return promoted.length === 0 ? undefined : promoted;
}

const ANY_MARK = '<!-- svc:';
// A block without its end mark is not ended by the next block's, because there may be user text in between. With any
// name in the mark, a text of many names would be read once for each.
const OWN_BLOCK = new RegExp(
  String.raw`<!-- svc:dreaming:(${OWN_BLOCKS.join('|')}):start -->(?:(?!<!-- svc:dreaming:\1:start -->)[\s\S])*?(?:<!-- svc:dreaming:\1:end -->|(?![\s\S]))|^<!-- svc:memory-promotion:.*$`,
  'gmu',
);

/** Blanks what svc wrote itself: dreaming blocks and promotion marks. Line numbers stay. */
export function withoutOwnWriting(text: string): string {
  if (!text.includes(ANY_MARK)) return text;
  return text.replaceAll(OWN_BLOCK, (part) => part.replaceAll(/[^\r\n]+/gu, ''));
}

export function linesWithoutOwnWriting(lines: TextLines): TextLines {
  return lines.text.includes(ANY_MARK) ? textLines(withoutOwnWriting(lines.text)) : lines;
}
