import { createHash } from 'node:crypto';
import { readSync } from 'node:fs';

/** Up to here everything is read. */
const WHOLE_BYTES = 64 * 1024;
const SAMPLES = 32;
const SAMPLE_BYTES = 2 * 1024;

/**
 * Tells whether the beginning of a file is still what it was, at a cost that does not grow with it:
 * the length and samples from all over it, the first and the last bytes among them. Whatever is put
 * in or taken out shifts all that follows, and shows in the last sample; only bytes that are exchanged
 * for as many others between two samples go unseen.
 *
 * @param bytes how long the beginning is
 * @returns SHA-256, hexadecimal; undefined where the file is shorter
 */
export function prefixPrint(descriptor: number, bytes: number): string | undefined {
  const hash = createHash('sha256').update(`${bytes}:`);
  const isWhole = bytes <= WHOLE_BYTES;
  const length = isWhole ? bytes : SAMPLE_BYTES;
  const buffer = Buffer.alloc(length);
  const count = isWhole ? 1 : SAMPLES;
  for (let sample = 0; sample < count && length > 0; sample++) {
    const at = isWhole ? 0 : Math.floor(((bytes - length) * sample) / (SAMPLES - 1));
    if (readSync(descriptor, buffer, 0, length, at) < length) return undefined;
    hash.update(buffer);
  }
  return hash.digest('hex');
}
