/* What removes something from a memory, whichever host has indexed it. */
import type { Server, Transaction } from '../../../postgres/index.js';
import { columnsOf } from '../../../support/lists.js';
import { READ_AGAIN_MS } from '../../types.js';
import { type ChunkCounts, changeMemory, type Target } from './change-memory.js';
import { clearLengths, deletedChunks } from './chunk-lengths.js';
import { type Postings, withoutChunks } from './posting-bytes.js';
import { chunksOf, columnsOfKnown, type KnownChunk, SELECT_BY_ID } from './stored-chunks.js';
import { removeTerms } from './write-terms.js';

/** Documents and chunks of one transaction: with few, the rows of common words would be written again and again. */
const BATCH = 4000;

/**
 * Erases chunks of any host and, unless another text needs them, their vectors; their words with {@link compact}. The
 * facts and links of their documents may repeat the text, so they are erased too. The documents count as changed, so the
 * hosts that have the files index the rest again.
 */
export async function eraseChunks(
  server: Server,
  target: Target,
  ids: readonly number[],
): Promise<void> {
  if (ids.length === 0) return;
  await changeMemory(server, target, async (transaction) => {
    const chunks = await transaction.query<KnownChunk>(
      `${SELECT_BY_ID} AND chunks.id = ANY ($2) ORDER BY chunks.id`,
      [target.memory, ids],
    );
    await Promise.all([
      deleteChunks(transaction, target, chunks),
      markIncomplete(
        transaction,
        chunks.map(({ document }) => document),
      ),
      transaction.run(
        `DELETE FROM svc.embeddings WHERE hash = ANY ($1)
           AND NOT EXISTS (SELECT FROM svc.chunks WHERE chunks.hash = embeddings.hash)`,
        columnsOf(chunks, 'hash'),
      ),
    ]);
  });
}

/** Makes the hosts of documents index them again, at their next sync. */
async function markIncomplete(
  transaction: Transaction,
  documents: readonly number[],
): Promise<void> {
  await Promise.all([
    transaction.run(
      `UPDATE svc.documents SET ctime_ms = ${READ_AGAIN_MS}, hash = '', facts = NULL, links = NULL
       WHERE id = ANY ($1)`,
      [documents],
    ),
    transaction.run(
      `UPDATE svc.origins SET tree_paths = NULL, tree_fingerprints = NULL
       WHERE id IN (SELECT origin FROM svc.documents WHERE id = ANY ($1))`,
      [documents],
    ),
  ]);
}

/**
 * Removes everything that a host has indexed into a memory, and the host from its origins. Where this is interrupted, the
 * host indexes again what is missing.
 */
export async function removeOrigin(server: Server, target: Target, name: string): Promise<void> {
  const { memory } = target;
  for (let left = true; left; ) {
    const { result } = await changeMemory(server, target, async (transaction) => {
      const documents = await transaction.query<{ readonly id: number }>(
        `SELECT documents.id FROM svc.documents JOIN svc.origins ON origins.id = origin
         WHERE documents.memory = $1 AND origins.name = $2 LIMIT $3`,
        [memory, name, BATCH],
      );
      const ids = documents.map(({ id }) => id);
      const values = [memory, name];
      if (ids.length > 0) {
        const chunks = await chunksOf(transaction, ids, BATCH);
        const last = chunks.length < BATCH ? undefined : chunks.at(-1)?.id;
        await Promise.all([
          // First, so that nothing of a document is written that has no further chunks.
          transaction.run(
            `DELETE FROM svc.documents WHERE id = ANY ($1)
               AND ($2::int IS NULL OR isempty(chunk_ids) OR upper(chunk_ids) <= $2 + 1)`,
            [ids, last],
          ),
          transaction.run(
            `UPDATE svc.origins SET tree_paths = NULL, tree_fingerprints = NULL
             WHERE memory = $1 AND name = $2`,
            values,
          ),
          deleteChunks(transaction, target, chunks),
          markIncomplete(
            transaction,
            chunks.map(({ document }) => document),
          ),
        ]);
        return true;
      }
      // Nobody will fetch the results of its jobs, which keep their passages from other hosts.
      await transaction.run('DELETE FROM svc.batch_jobs WHERE memory = $1 AND origin = $2', values);
      await transaction.run('DELETE FROM svc.origins WHERE memory = $1 AND name = $2', values);
      return false;
    });
    left = result;
  }
}

/**
 * Deletes chunks of any origin, with the frequencies of their words. Their postings stay, and are recognized by a
 * length of 0, until they are compacted. The memory must be locked.
 */
export async function deleteChunks(
  transaction: Transaction,
  { memory, tokenizer, words }: Target,
  chunks: readonly KnownChunk[],
): Promise<void> {
  if (chunks.length === 0) return;
  const ids = chunks.map(({ id }) => id);
  const hashes = columnsOf(chunks, 'hash');
  await Promise.all([
    removeTerms(transaction, memory, words.count(columnsOfKnown(chunks, tokenizer))),
    clearLengths(transaction, memory, ids),
    transaction.run('DELETE FROM svc.chunks WHERE memory = $1 AND id = ANY ($2)', [memory, ids]),
    transaction.run(
      `UPDATE svc.documents SET chunk_ids = chunk_ids - gone.ids
       FROM (SELECT document, range_agg(int4range(id, id, '[]')) AS ids
             FROM unnest($1::bigint[], $2::int[]) AS gone (document, id) GROUP BY document) AS gone
       WHERE documents.id = gone.document`,
      columnsOf(chunks, 'document', 'id'),
    ),
    // Of two memories that delete the same text at once, the last must see that the other does not have it either.
    transaction.run(
      'SELECT FROM svc.embeddings WHERE hash = ANY ($1) ORDER BY id FOR NO KEY UPDATE',
      hashes,
    ),
    transaction.run(
      `INSERT INTO svc.unused_embeddings (embedding)
       SELECT id FROM svc.embeddings WHERE hash = ANY ($1)
         AND NOT EXISTS (SELECT FROM svc.chunks WHERE chunks.hash = embeddings.hash)
       ON CONFLICT DO NOTHING`,
      hashes,
    ),
  ]);
}

/** With fewer, the postings of deleted chunks cost next to nothing. */
const FEWEST_DEAD = 1000;
/** Share of the chunks that may be deleted ones. */
const MOST_DEAD = 1 / 2;

/** Compacts the postings of a memory if too many are of deleted chunks. */
export async function compactIfWorthIt(
  server: Server,
  target: Target,
  { chunks, dead }: ChunkCounts,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (dead < FEWEST_DEAD || dead < chunks * MOST_DEAD) return;
  await compact(server, target, signal);
}

/** Terms of one transaction: others wait for it, and this process answers nothing while it decodes their postings. */
const TERMS_AT_ONCE = 500;

/**
 * Removes the chunks that are deleted by now from the postings, some terms at a time. Only rows that have such chunks
 * are written: with all of them, each memory would take up several times its size on the server until the end.
 *
 * @returns false when the signal interrupted it
 */
export async function compact(
  server: Server,
  { memory, lockWaitMs }: Target,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const { isDeleted, dead } = await deletedChunks(server, memory);
  const compactAfter = async (transaction: Transaction, after: string) => {
    await transaction.query('SELECT FROM svc.memories WHERE id = $1 FOR NO KEY UPDATE', [memory]);
    const terms = await transaction.query<Postings & { readonly term: string }>(
      'SELECT term, hits, places FROM svc.terms WHERE memory = $1 AND term > $2 ORDER BY term LIMIT $3',
      [memory, after, TERMS_AT_ONCE],
    );
    const last = terms.at(-1)?.term;
    if (last === undefined) return undefined;
    const parts = await transaction.query<
      Postings & { readonly term: string; readonly part: number }
    >(
      'SELECT term, part, hits, places FROM svc.postings WHERE memory = $1 AND term > $2 AND term <= $3',
      [memory, after, last],
    );
    const withoutDeleted = <Row extends Postings>(row: Row): readonly Row[] => {
      const left = withoutChunks(row, isDeleted);
      return left === undefined ? [] : [{ ...row, ...left }];
    };
    const newest = terms.flatMap(withoutDeleted);
    if (newest.length > 0) {
      await transaction.run(
        `UPDATE svc.terms SET hits = left_over.hits, places = left_over.places
         FROM unnest($2::text[], $3::bytea[], $4::bytea[]) AS left_over (term, hits, places)
         WHERE memory = $1 AND terms.term = left_over.term`,
        [memory, ...columnsOf(newest, 'term', 'hits', 'places')],
      );
    }
    const older = parts.flatMap(withoutDeleted);
    if (older.length > 0) {
      const columns = columnsOf(older, 'term', 'part', 'hits', 'places');
      await transaction.run(
        `WITH left_over AS (
           SELECT * FROM unnest($2::text[], $3::int[], $4::bytea[], $5::bytea[])
             AS rows (term, part, hits, places)
         ), emptied AS (
           DELETE FROM svc.postings USING left_over WHERE memory = $1 AND left_over.hits = ''
             AND postings.term = left_over.term AND postings.part = left_over.part
         )
         UPDATE svc.postings SET hits = left_over.hits, places = left_over.places FROM left_over
         WHERE memory = $1 AND left_over.hits <> ''
           AND postings.term = left_over.term AND postings.part = left_over.part`,
        [memory, ...columns],
      );
    }
    return last;
  };
  for (let after: string | undefined = ''; after !== undefined; ) {
    if (signal?.aborted === true) return false;
    const from: string = after;
    after = await server.transaction((transaction) => compactAfter(transaction, from), {
      lockWaitMs,
    });
  }
  await server.run(
    'UPDATE svc.memories SET dead_chunks = greatest(0, dead_chunks - $2) WHERE id = $1',
    [memory, dead],
  );
  return true;
}
