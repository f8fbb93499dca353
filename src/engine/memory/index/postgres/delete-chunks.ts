import type { Transaction } from '../../../postgres/index.js';
import { clearLengths } from './chunk-lengths.js';
import { columnsOfKnown, type KnownChunk } from './stored-chunks.js';
import type { Target } from './write-changes.js';
import { writeTerms } from './write-terms.js';

/**
 * Deletes chunks of any origin, with the frequencies of their words. Their postings stay, and are recognized by a
 * length of 0, until they are compacted. The memory must be locked.
 */
export async function deleteChunks(
  transaction: Transaction,
  { memory, tokenizer, words }: Pick<Target, 'memory' | 'tokenizer' | 'words'>,
  chunks: readonly KnownChunk[],
): Promise<void> {
  if (chunks.length === 0) return;
  const ids = chunks.map(({ id }) => id);
  const removed = words.count(columnsOfKnown(chunks, tokenizer));
  await writeTerms(transaction, memory, { added: new Map(), firstChunk: 0, removed });
  const length = await clearLengths(transaction, memory, ids);
  await transaction.run('DELETE FROM svc.chunks WHERE memory = $1 AND id = ANY ($2)', [
    memory,
    ids,
  ]);
  await transaction.run(
    `UPDATE svc.documents SET chunk_ids = chunk_ids - gone.ids
     FROM (SELECT document, range_agg(int4range(id, id, '[]')) AS ids
           FROM unnest($1::bigint[], $2::int[]) AS gone (document, id) GROUP BY document) AS gone
     WHERE documents.id = gone.document`,
    [chunks.map(({ document }) => document), ids],
  );
  await transaction.run(
    `UPDATE svc.memories SET chunks = chunks - $2, words = words - $3, dead_chunks = dead_chunks + $2
     WHERE id = $1`,
    [memory, chunks.length, length],
  );
  await transaction.run(
    `INSERT INTO svc.unused_embeddings (embedding)
     SELECT id FROM svc.embeddings WHERE hash = ANY ($1)
       AND NOT EXISTS (SELECT FROM svc.chunks WHERE chunks.hash = embeddings.hash)
     ON CONFLICT DO NOTHING`,
    [chunks.map(({ hash }) => hash)],
  );
}
