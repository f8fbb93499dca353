import type { Dirent, Stats } from 'node:fs';
import {
  handlesExhausted,
  isHandleShortage,
  privacyHint,
  systemErrorCode,
  systemReason,
} from '../../errors/index.js';
import { uniqueBy } from '../../support/lists.js';
import type { SkippedFile, SkipReason } from '../types.js';
import type { MediaSelection } from './media.js';

/** Reports an entry with the name of a memory file that is not a regular file. */
export function notAFile(path: string, entry: Dirent | Stats): SkippedFile {
  if (entry.isSymbolicLink()) return { path, reason: 'symlink' };
  const detail = entry.isDirectory()
    ? 'a folder'
    : entry.isFIFO()
      ? 'a pipe'
      : entry.isSocket()
        ? 'a socket'
        : 'a device';
  return { path, reason: 'not_a_file', detail };
}

/** What is skipped: what a scan finds about a path overrides what the last sync recorded. */
export function allSkips(
  scanned: readonly SkippedFile[],
  recorded: readonly SkippedFile[],
): readonly SkippedFile[] {
  return uniqueBy([...scanned, ...recorded], ({ path }) => path);
}

/** Reports a media file over `multimodal.maxFileBytes`. */
export function mediaTooLarge(
  path: string,
  bytes: number,
  { maxFileBytes }: MediaSelection,
): SkippedFile {
  const detail = `${bytes} bytes, multimodal.maxFileBytes is ${maxFileBytes}`;
  return { path, reason: 'too_large', detail };
}

/**
 * Converts a failed file operation to a skip.
 *
 * @throws SvcError HANDLES_EXHAUSTED, which is not about the file: a skipped file would be dropped from the index
 */
export function skipOf(path: string, error: unknown): SkippedFile {
  if (isHandleShortage(error)) throw handlesExhausted(error);
  const reason = REASONS[systemErrorCode(error) ?? ''] ?? 'unreadable';
  // Node.js replaces invalid UTF-8 in names with this character, and cannot open them.
  if (reason === 'vanished' && path.includes('\ufffd')) {
    return { path, reason: 'unreadable', detail: 'its name is not UTF-8' };
  }
  const detail = reason === 'unreadable' ? systemReason(error) : privacyHint(error);
  return detail === undefined ? { path, reason } : { path, reason, detail };
}

const REASONS: Readonly<Record<string, SkipReason>> = {
  EACCES: 'permission_denied',
  EPERM: 'permission_denied',
  ELOOP: 'symlink',
  ENOENT: 'vanished',
};

/** What is found at a path; undefined if that fails, which is reported unless nothing is there any more. */
export function unlessGone<T>(
  path: string,
  { onSkip }: { readonly onSkip: (skip: SkippedFile) => void },
  read: (path: string) => T,
): T | undefined {
  try {
    return read(path);
  } catch (error) {
    const skip = skipOf(path, error);
    if (skip.reason !== 'vanished') onSkip(skip);
    return undefined;
  }
}
