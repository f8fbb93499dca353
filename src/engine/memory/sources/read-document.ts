import { isAscii } from 'node:buffer';
import { hash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import type { FileFingerprint, SkippedFile } from '../types.js';
import { type TextLines, textLines } from './text-lines.js';
import { skipOf } from './walk.js';

/** A document as it was read, in one piece. */
export interface DocumentText {
  /** The fingerprint taken before reading: a change during the read shows as one afterwards. */
  readonly fingerprint: FileFingerprint;
  /** SHA-256 of the bytes, hexadecimal. */
  readonly hash: string;
  readonly lines: TextLines;
}

/** Larger files are no notes: they are reported instead of indexed. */
export const MAX_DOCUMENT_BYTES = 64 * 1024 * 1024;

/** Either the text, or why there is none. */
export type ReadOutcome =
  | { readonly ok: true; readonly document: DocumentText }
  | { readonly ok: false; readonly skip: SkippedFile };

/**
 * Reads a file for indexing. Bytes that are no UTF-8 become U+FFFD and NUL becomes a space, so that
 * a damaged file is still found by the rest of its words; UTF-16 is told by its byte order mark.
 *
 * @param path the document's displayed path, for the report
 */
export function readDocument(absolutePath: string, path: string): ReadOutcome {
  let descriptor: number | undefined;
  try {
    // Not through a link that was put in the file's place meanwhile, and not waiting on a pipe.
    descriptor = openSync(
      absolutePath,
      constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
    );
    const { size, mtimeMs, ctimeMs } = fstatSync(descriptor);
    if (size > MAX_DOCUMENT_BYTES) return { ok: false, skip: tooLarge(path, size) };
    const bytes = readFileSync(descriptor);
    if (bytes.length > MAX_DOCUMENT_BYTES) return { ok: false, skip: tooLarge(path, bytes.length) };
    const fingerprint = { size, mtimeMs, ctimeMs };
    const lines = decode(bytes);
    return { ok: true, document: { fingerprint, hash: hash('sha256', bytes), lines } };
  } catch (error) {
    return { ok: false, skip: { ...skipOf(absolutePath, error), path } };
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function tooLarge(path: string, bytes: number): SkippedFile {
  const megabytes = (size: number): string => `${Math.round(size / 1024 / 1024)} MB`;
  const detail = `${megabytes(bytes)}, limit ${megabytes(MAX_DOCUMENT_BYTES)}`;
  return { path, reason: 'too_large', detail };
}

function decode(bytes: Buffer): TextLines {
  const ascii = isAscii(bytes);
  // One-byte strings take half the memory and are scanned twice as fast.
  const text = ascii ? bytes.toString('latin1') : decodeByMark(bytes);
  return textLines(text.includes('\0') ? text.replaceAll('\0', ' ') : text, ascii);
}

function decodeByMark(bytes: Buffer): string {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return bytes.toString('utf8', 3);
  if (first === 0xff && second === 0xfe) return bytes.toString('utf16le', 2);
  if (first === 0xfe && second === 0xff) {
    return bytes
      .subarray(2, bytes.length - (bytes.length % 2))
      .swap16()
      .toString('utf16le');
  }
  return bytes.toString('utf8');
}
