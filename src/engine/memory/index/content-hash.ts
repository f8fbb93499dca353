import { uniqueBy } from '../../support/lists.js';

const HASH_BYTES = 16;

/**
 * Identifies what is embedded of a chunk: the first 16 bytes of the SHA-256 of its heading path, a NUL and its text.
 */
export function contentHash(headings: string, text: string): Buffer {
  return shortDigest(`${headings}\0${text}`);
}

/**
 * Identifies what is embedded of a media file: content and type, not its name. Cannot collide with a text, which never
 * contains NUL (see read-document.ts).
 */
export function mediaContentHash(mimeType: string, fileHash: string): Buffer {
  return shortDigest(`\0${mimeType}\0${fileHash}`);
}

function shortDigest(text: string): Buffer {
  // Not imported: that costs 3 ms in searches that need no hash.
  const { hash } = process.getBuiltinModule('node:crypto');
  // Sliced as a string: another Buffer per hash costs half as much again.
  const digest = hash('sha256', text, 'binary');
  return Buffer.from(digest.slice(0, HASH_BYTES), 'latin1');
}

/** The rows of some contents. */
export function ofContents<T extends { readonly hash: Buffer }>(
  rows: readonly T[],
  contents: readonly { readonly hash: Buffer }[],
): T[] {
  const hashes = new Set(contents.map(({ hash }) => hash.toString('latin1')));
  return rows.filter(({ hash }) => hashes.has(hash.toString('latin1')));
}

/** The last of the rows of each content, so that what follows the last one is after all of them. */
export function distinctContents<T extends { readonly hash: Buffer }>(rows: readonly T[]): T[] {
  return uniqueBy(rows.toReversed(), ({ hash }) => hash.toString('latin1')).toReversed();
}
