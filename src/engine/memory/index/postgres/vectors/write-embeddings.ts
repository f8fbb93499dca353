import type { Server, Transaction } from '../../../../postgres/index.js';
import { columnsOf } from '../../../../support/lists.js';
import type { EmbeddingEntry, RefusedContent, RefusedMedia } from '../../embedding-records.js';
import { packVectors, requireDimensions, unitVector } from '../../vector-bytes.js';
import { JOIN_CHUNKS } from '../read-documents.js';
import { ensureSpace, storePacked } from './packed-embeddings.js';
import { enterSpaces, findSpace, raiseWholeTo } from './spaces.js';

/**
 * Stores vectors under an identity, in one transaction.
 *
 * @throws SvcError PROVIDER_ANSWER_INVALID when lengths differ
 */
export async function putEmbeddings(
  server: Server,
  memory: number,
  identity: string,
  entries: readonly EmbeddingEntry[],
): Promise<void> {
  const [first] = entries;
  if (first === undefined) return;
  const dimensions = first.vectors[0]?.length ?? 0;
  const rows = entries.map(({ hash, vectors }) => {
    for (const vector of vectors) requireDimensions(dimensions, vector.length);
    return { hash, dimensions, vector: packVectors(vectors.map(unitVector)), used: false };
  });
  await server.transaction(async (transaction) => {
    const id = await ensureSpace(transaction, identity, dimensions);
    await enterSpaces(transaction, memory, [identity]);
    // A chunk may have been deleted, perhaps forgotten, while a job of the provider was running.
    const used = await transaction.query<{ readonly hash: Buffer }>(
      `SELECT hash FROM unnest($1::bytea[]) AS hash
       WHERE EXISTS (SELECT FROM svc.chunks WHERE chunks.hash = hash.hash)`,
      columnsOf(rows, 'hash'),
    );
    const isUsed = new Set(used.map(({ hash }) => hash.toString('latin1')));
    await storePacked(
      transaction,
      id,
      rows.filter(({ hash }) => isUsed.has(hash.toString('latin1'))),
    );
    await endClaims(transaction, identity, entries);
    await raiseWholeTo(transaction, memory, { id, identity });
  });
}

async function endClaims(
  transaction: Transaction,
  identity: string,
  contents: readonly { readonly hash: Buffer }[],
): Promise<void> {
  await transaction.run(
    'DELETE FROM svc.embedding_claims WHERE identity = $1 AND hash = ANY ($2)',
    [identity, ...columnsOf(contents, 'hash')],
  );
}

/**
 * Records content that a provider refuses, so that it no longer counts as missing. Refused texts are ignored
 * before the first vector, as in SQLite.
 */
export async function refuseEmbeddings(
  server: Server,
  memory: number,
  identity: string,
  refused: readonly RefusedContent[],
): Promise<void> {
  const space = await findSpace(server, memory, identity);
  const recorded = refused.filter(({ isMedia }) => isMedia || space !== undefined);
  await server.transaction(async (transaction) => {
    await transaction.run(
      `INSERT INTO svc.refused_contents (identity, hash, why)
       SELECT DISTINCT ON (hash) $1, hash, why FROM unnest($2::bytea[], $3::text[]) AS new (hash, why)
       ON CONFLICT (identity, hash) DO UPDATE SET why = excluded.why`,
      [identity, ...columnsOf(recorded, 'hash', 'why')],
    );
    await endClaims(transaction, identity, refused);
    if (space !== undefined) await raiseWholeTo(transaction, memory, space);
  });
}

/** The refused media documents under any identity; by path. */
export async function refusedMedia(server: Server, memory: number): Promise<RefusedMedia[]> {
  return server.query<RefusedMedia>(
    `SELECT refused.identity, documents.path, mime_type AS "mimeType", why FROM svc.documents
     ${JOIN_CHUNKS}
     JOIN svc.refused_contents AS refused ON refused.hash = chunks.hash
     WHERE documents.memory = $1 AND kind = 'media' ORDER BY documents.path`,
    [memory],
  );
}
