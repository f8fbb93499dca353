import { createHash } from 'node:crypto';
import { readSync } from 'node:fs';

/** Up to this size the whole beginning is hashed. */
const WHOLE_BYTES = 64 * 1024;
const SAMPLES = 32;
const SAMPLE_BYTES = 2 * 1024;

/**
 * A hash to detect changes in the beginning of a file at constant cost: its length and evenly spaced samples,
 * including the first and last bytes. Insertions and deletions shift the last sample; only same-length
 * replacements between samples go unnoticed.
 *
 * @param bytes length of the beginning
 * @returns SHA-256, hexadecimal; undefined when the file is shorter
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
