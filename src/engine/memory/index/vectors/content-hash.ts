import { hash } from 'node:crypto';

const HASH_BYTES = 16;

/**
 * Names what is embedded of a chunk: the first 16 bytes of the SHA-256 over its heading path, a NUL
 * and its text.
 *
 * @param headings the heading path as the index stores it
 */
export function contentHash(headings: string, text: string): Buffer {
  return hash('sha256', `${headings}\0${text}`, 'buffer').subarray(0, HASH_BYTES);
}
