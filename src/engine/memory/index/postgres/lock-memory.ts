import type { Transaction } from '../../../postgres/index.js';

/** Waits for other writers of a memory. @returns the id of its next chunk */
export async function lockMemory(transaction: Transaction, memory: number): Promise<number> {
  const [row] = await transaction.query<{ readonly next: number }>(
    'SELECT next_chunk AS next FROM svc.memories WHERE id = $1 FOR NO KEY UPDATE',
    [memory],
  );
  if (row === undefined) throw new Error('the memory was deleted meanwhile');
  return row.next;
}

/** Records that searches have to read the memory again, and what they need not look up. */
export async function noteChange(transaction: Transaction, memory: number): Promise<void> {
  await transaction.run(
    `UPDATE svc.memories SET revision = revision + 1, languages = coalesce(found.languages, ''),
       sources = coalesce(found.sources, ''), has_media = coalesce(found.media, false)
     FROM (
       SELECT string_agg(DISTINCT language, ' ') AS languages, string_agg(DISTINCT source, ' ') AS sources,
         bool_or(kind = 'media') AS media FROM svc.documents WHERE memory = $1
     ) AS found WHERE id = $1`,
    [memory],
  );
}
