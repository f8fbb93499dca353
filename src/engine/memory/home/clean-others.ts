import type { Server } from '../../postgres/index.js';
import { groupBy } from '../../support/lists.js';
import { type Forgotten, wordsOf } from '../forget/index.js';
import {
  chunksByDocument,
  type OtherDocument,
  otherDocuments,
  type PostgresIndex,
  type SharedMemory,
  type StoredChunk,
} from '../index/postgres/index.js';
import { linesOfChunks, turnsOfChunks } from './shared-text.js';

/** Documents whose chunks are in memory at once. */
const BATCH = 50;

/**
 * Deletes the chunks of all other hosts that contain forgotten text, with their vectors. What else was in them comes
 * back with the next sync of their host, which reads such documents again.
 *
 * @param index the memory as this host sees it
 * @param traces forgotten lines in plain text, as far as they are known: conversations are stored without the line
 *   ends by which the list recognizes lines
 */
export async function cleanOthers(
  server: Server,
  own: SharedMemory,
  index: PostgresIndex,
  forgotten: Forgotten,
  traces: readonly string[],
): Promise<void> {
  const gone: number[] = [];
  const byOrigin = groupBy(await otherDocuments(server, own), ({ origin }) => origin);
  for (const [origin, documents] of byOrigin) {
    for (let start = 0; start < documents.length; start += BATCH) {
      const batch = documents.slice(start, start + BATCH);
      const found = await chunksByDocument(server, { agent: own.agent, origin }, batch);
      for (const [at, document] of batch.entries()) {
        const chunks = forgottenChunks(document, found[at] ?? [], forgotten, traces);
        for (const { chunkId } of chunks) gone.push(chunkId);
      }
    }
  }
  // Without any, it still removes what words of this host's own deleted chunks left.
  await index.eraseChunks(gone);
}

function forgottenChunks(
  { kind, hash }: OtherDocument,
  chunks: readonly StoredChunk[],
  forgotten: Forgotten,
  traces: readonly string[],
): readonly StoredChunk[] {
  // The hash may have a mark of what was left out.
  if (forgotten.hidesDocument(hash.split('.')[0] ?? '')) return chunks;
  if (kind === 'media') return [];
  if (kind === 'transcript') {
    return chunks.filter((chunk) =>
      turnsOfChunks([chunk]).some(({ text }) => {
        const words = wordsOf(text);
        return traces.some((trace) => words.includes(trace)) || forgotten.leftOf(words) !== words;
      }),
    );
  }
  const gone = forgotten.linesIn(linesOfChunks(chunks));
  return chunks.filter(({ startLine, endLine }) => {
    for (let line = startLine; line <= endLine; line++) if (gone.has(line - 1)) return true;
    return false;
  });
}
