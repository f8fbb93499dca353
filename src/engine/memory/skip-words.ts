import type { SkippedFile, SkipReason } from './types.js';

const SKIP_WORDS: Readonly<Record<SkipReason, string>> = {
  forgotten: 'contains forgotten text',
  missing: 'does not exist',
  not_a_file: 'not a regular file',
  permission_denied: 'permission denied',
  symlink: 'symbolic link',
  too_large: 'too large',
  unreadable: 'cannot be read',
  vanished: 'deleted while being read',
  wrong_format: 'content does not match the file name',
};

/** Why a file is not in the index: `permission denied`, `too large: 200 MB, limit 64 MB`. */
export function skipWords({ reason, detail }: Omit<SkippedFile, 'path'>): string {
  const words = SKIP_WORDS[reason];
  if (detail === undefined) return words;
  // Details of these two say by themselves what is wrong.
  return reason === 'unreadable' || reason === 'wrong_format' ? detail : `${words}: ${detail}`;
}

/**
 * Skips to report unasked. Ignoring a symbolic link is specified behaviour, unless it was configured or is in
 * place of the memory itself: then it has a detail. Of a file that was deleted meanwhile, nothing is missing.
 */
export function isFaultySkip(skip: SkippedFile): boolean {
  if (skip.reason === 'vanished') return false;
  return skip.reason !== 'symlink' || skip.detail !== undefined;
}
