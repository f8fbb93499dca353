import type { Server, Transaction } from '../../../../postgres/index.js';
import type { EmbeddingEntry, RefusedContent, RefusedMedia } from '../../embedding-records.js';
import { packVectors, requireDimensions, sumOfVectors, unitVector } from '../../vector-bytes.js';
import { enterSpaces, findSpace, raiseWholeTo, type Space, signBits } from './spaces.js';

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
    const vector = packVectors(vectors.map(unitVector));
    return { hash, vector, code: signBits(sumOfVectors(vector, dimensions)) };
  });
  await server.transaction(async (transaction) => {
    const space = await ensureSpace(transaction, memory, identity, dimensions);
    requireDimensions(space.dimensions, dimensions);
    await transaction.run(
      `WITH added AS (
         INSERT INTO svc.embeddings (space, hash, vector)
         SELECT $1, * FROM unnest($2::bytea[], $3::bytea[]) ON CONFLICT DO NOTHING RETURNING id, hash
       ), coded AS (
         INSERT INTO svc.embedding_codes
         SELECT DISTINCT ON (id) id, $1::int, code::varbit FROM added
           JOIN unnest($2::bytea[], $4::text[]) AS new (hash, code) USING (hash)
       )
       INSERT INTO svc.unused_embeddings (embedding) SELECT id FROM added
         WHERE NOT EXISTS (SELECT FROM svc.chunks WHERE chunks.hash = added.hash)`,
      [
        space.id,
        rows.map(({ hash }) => hash),
        rows.map(({ vector }) => vector),
        rows.map(({ code }) => code),
      ],
    );
    await endClaims(transaction, identity, entries);
    await raiseWholeTo(transaction, memory, space);
  });
}

async function ensureSpace(
  transaction: Transaction,
  memory: number,
  identity: string,
  dimensions: number,
): Promise<Space> {
  await transaction.run(
    'INSERT INTO svc.spaces (identity, dimensions) VALUES ($1, $2) ON CONFLICT DO NOTHING',
    [identity, dimensions],
  );
  await enterSpaces(transaction, memory, [identity]);
  const space = await findSpace(transaction, memory, identity);
  if (space === undefined) throw new Error('a row that was just written is not there');
  return space;
}

async function endClaims(
  transaction: Transaction,
  identity: string,
  contents: readonly { readonly hash: Buffer }[],
): Promise<void> {
  await transaction.run(
    'DELETE FROM svc.embedding_claims WHERE identity = $1 AND hash = ANY ($2)',
    [identity, contents.map(({ hash }) => hash)],
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
  const noted = refused.filter(({ isMedia }) => isMedia || space !== undefined);
  await server.transaction(async (transaction) => {
    await transaction.run(
      `INSERT INTO svc.refused_contents (identity, hash, why)
       SELECT DISTINCT ON (hash) $1, hash, why FROM unnest($2::bytea[], $3::text[]) AS new (hash, why)
       ON CONFLICT (identity, hash) DO UPDATE SET why = excluded.why`,
      [identity, noted.map(({ hash }) => hash), noted.map(({ why }) => why)],
    );
    await endClaims(transaction, identity, refused);
    if (space !== undefined) await raiseWholeTo(transaction, memory, space);
  });
}

/** The refused media documents under any identity; by path. */
export async function refusedMedia(server: Server, memory: number): Promise<RefusedMedia[]> {
  return server.query<RefusedMedia>(
    `SELECT refused.identity, documents.path, mime_type AS "mimeType", why FROM svc.documents
     CROSS JOIN unnest(chunk_ids) AS ids
     JOIN svc.chunks ON chunks.memory = $1 AND chunks.id >= lower(ids) AND chunks.id < upper(ids)
     JOIN svc.refused_contents AS refused ON refused.hash = chunks.hash
     WHERE documents.memory = $1 AND kind = 'media' ORDER BY documents.path`,
    [memory],
  );
}
