import type { Server, Transaction } from '../../../../postgres/index.js';
import type { TidyOptions } from '../../embedding-records.js';
import { CLAIM_COUNTS } from './missing-embeddings.js';
import { enterSpaces, findSpace, raiseWholeTo } from './spaces.js';

/** Vectors that a memory uses: of a space in use, and of a text that some memory has. */
const IN_USE = `EXISTS (
  SELECT FROM svc.memory_spaces JOIN svc.chunks ON chunks.memory = memory_spaces.memory
  WHERE memory_spaces.space = embeddings.space AND chunks.hash = embeddings.hash)`;

/** Deletes vectors that no memory uses, except for a cache of the most recently used ones. */
export async function tidyEmbeddings(
  server: Server,
  memory: number,
  { keepIdentities, isSuperseded, cacheEntries }: TidyOptions,
): Promise<void> {
  await server.transaction(async (transaction) => {
    await enterSpaces(transaction, memory, keepIdentities);
    await leaveSpaces(transaction, memory, keepIdentities);
    if (isSuperseded !== undefined) await removeSuperseded(transaction, isSuperseded);
    await pruneCache(transaction, cacheEntries);
    await transaction.run(
      `DELETE FROM svc.refused_contents AS refused
       WHERE NOT EXISTS (SELECT FROM svc.chunks WHERE chunks.hash = refused.hash)`,
    );
    await transaction.run(`DELETE FROM svc.embedding_claims AS claims WHERE NOT ${CLAIM_COUNTS}`);
    await transaction.run(
      `DELETE FROM svc.spaces WHERE identity <> ALL ($1)
         AND NOT EXISTS (SELECT FROM svc.memory_spaces WHERE space = spaces.id)
         AND NOT EXISTS (SELECT FROM svc.embeddings WHERE space = spaces.id)`,
      [keepIdentities],
    );
    for (const identity of keepIdentities) {
      const space = await findSpace(transaction, memory, identity);
      if (space !== undefined) await raiseWholeTo(transaction, memory, space);
    }
  });
}

/** The vectors of spaces that no memory uses any more are in the cache from now on. */
async function leaveSpaces(
  transaction: Transaction,
  memory: number,
  keepIdentities: readonly string[],
): Promise<void> {
  const left = await transaction.query<{ readonly space: number }>(
    `DELETE FROM svc.memory_spaces USING svc.spaces
     WHERE memory = $1 AND space = spaces.id AND identity <> ALL ($2) RETURNING space`,
    [memory, keepIdentities],
  );
  if (left.length === 0) return;
  await transaction.run(
    `INSERT INTO svc.unused_embeddings (embedding)
     SELECT id FROM svc.embeddings WHERE space = ANY ($1) AND NOT ${IN_USE} ON CONFLICT DO NOTHING`,
    [left.map(({ space }) => space)],
  );
}

/** Deletes spaces that can never be used again. */
async function removeSuperseded(
  transaction: Transaction,
  isSuperseded: (identity: string) => boolean,
): Promise<void> {
  const unused = await transaction.query<{ readonly identity: string }>(
    `SELECT identity FROM svc.spaces
     WHERE NOT EXISTS (SELECT FROM svc.memory_spaces WHERE space = spaces.id)`,
  );
  const superseded = unused.map(({ identity }) => identity).filter(isSuperseded);
  if (superseded.length === 0) return;
  await transaction.run('DELETE FROM svc.spaces WHERE identity = ANY ($1)', [superseded]);
}

async function pruneCache(transaction: Transaction, entries: number): Promise<void> {
  const old = await transaction.query<{ readonly id: number }>(
    `SELECT embedding AS id FROM svc.unused_embeddings
     ORDER BY released_at DESC, embedding DESC OFFSET $1`,
    [entries],
  );
  if (old.length === 0) return;
  const ids = old.map(({ id }) => id);
  // A host may have written such a text meanwhile.
  const deleted = await transaction.query<{ readonly space: number }>(
    `DELETE FROM svc.embeddings WHERE id = ANY ($1) AND NOT ${IN_USE} RETURNING space`,
    [ids],
  );
  await transaction.run('DELETE FROM svc.unused_embeddings WHERE embedding = ANY ($1)', [ids]);
  // Or is writing it now: whether all of its chunks have vectors is checked again.
  await transaction.run('UPDATE svc.memory_spaces SET whole_to = 0 WHERE space = ANY ($1)', [
    [...new Set(deleted.map(({ space }) => space))],
  ]);
}
