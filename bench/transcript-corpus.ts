import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** Half of all bytes are in one transcript, the rest in many of this size. */
const SMALL_BYTES = 2e6;
const BLOCK_BYTES = 1e6;

/**
 * Writes transcripts like those of coding agents: half of the bytes are tool results, the rest is conversation
 * with a few frequent and many rare words. Deterministic.
 */
export function writeTranscripts(
  dir: string,
  bytes: number,
): { readonly files: number; readonly bytes: number } {
  mkdirSync(dir, { recursive: true });
  const random = generator(20260203);
  let [files, written] = [1, writeTranscript(join(dir, 'largest.jsonl'), bytes / 2, random)];
  for (; written < bytes; files++) {
    const size = Math.min(SMALL_BYTES, bytes - written);
    written += writeTranscript(join(dir, `talk-${files}.jsonl`), size, random);
  }
  return { files, bytes: written };
}

function writeTranscript(path: string, bytes: number, random: () => number): number {
  const descriptor = openSync(path, 'w');
  let written = 0;
  let block = '';
  for (let line = 0; written + block.length < bytes; line++) {
    block += lineOf(line, random);
    if (block.length >= BLOCK_BYTES) {
      written += writeSync(descriptor, block);
      block = '';
    }
  }
  written += writeSync(descriptor, block);
  closeSync(descriptor);
  return written;
}

const ROLES = ['user', 'assistant', 'toolResult', 'assistant'] as const;

function lineOf(line: number, random: () => number): string {
  const role = ROLES[line % ROLES.length] ?? 'user';
  const words = role === 'toolResult' ? 500 : role === 'user' ? 40 : 160;
  const text = Array.from({ length: words }, () => wordOf(random)).join(' ');
  const timestamp = new Date(1_770_000_000_000 + line * 30_000).toISOString();
  const content = [{ type: 'text', text }];
  return `${JSON.stringify({ type: 'message', message: { role, content, timestamp } })}\n`;
}

/** A vocabulary of 40,000 words with Zipf frequencies. */
function wordOf(random: () => number): string {
  return `w${Math.floor(40_000 ** random()).toString(36)}`;
}

/** Seeded random numbers from 0 to 1 (a linear congruential generator, mod 2^32). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
