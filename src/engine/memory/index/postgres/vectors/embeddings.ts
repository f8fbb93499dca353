import type { Server, Sql, Transaction } from '../../../../postgres/index.js';
import { columnsOf, groupBy } from '../../../../support/lists.js';
import { ofContents } from '../../content-hash.js';
import type {
  EmbeddingEntry,
  IdPage,
  PackedEmbedding,
  PackedStore,
  RefusedContent,
  RefusedMedia,
  StoredEmbedding,
  VectorExtension,
} from '../../embedding-records.js';
import {
  packVectors,
  requireDimensions,
  sumOfVectors,
  unitVector,
  unpackVectors,
} from '../../vector-bytes.js';
import type { Place } from '../facts.js';
import { JOIN_CHUNKS } from '../read-documents.js';
import { ensureSpace, enterSpaces, findSpace, raiseWholeTo, signBits } from './spaces.js';

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
    await storePacked(transaction, id, ofContents(rows, used));
    await endClaims(transaction, identity, entries);
    await raiseWholeTo(transaction, memory, { id, identity });
  });
}

/**
 * Adds vectors that a space does not have yet; out of use unless they are marked as used, or some memory has the text.
 *
 * @returns how many
 */
async function storePacked(
  transaction: Transaction,
  space: number,
  rows: readonly Omit<PackedEmbedding, 'id' | 'identity'>[],
): Promise<number> {
  const codes = rows.map(({ vector, dimensions }) => signBits(sumOfVectors(vector, dimensions)));
  const stored = await transaction.run(
    `WITH new AS (
       SELECT DISTINCT ON (hash) * FROM unnest($2::bytea[], $3::bytea[], $4::text[], $5::boolean[])
         AS new (hash, vector, code, used)
     ), added AS (
       INSERT INTO svc.embeddings (space, hash, vector)
       SELECT $1, hash, vector FROM new ORDER BY hash ON CONFLICT DO NOTHING RETURNING id, hash
     ), coded AS (
       INSERT INTO svc.embedding_codes
       SELECT id, $1::int, code::varbit FROM added JOIN new USING (hash)
     ), cached AS (
       INSERT INTO svc.unused_embeddings (embedding)
       SELECT id FROM added JOIN new USING (hash) WHERE NOT used
         AND NOT EXISTS (SELECT FROM svc.chunks WHERE chunks.hash = added.hash)
     )
     SELECT id FROM added`,
    [space, ...columnsOf(rows, 'hash', 'vector'), codes, ...columnsOf(rows, 'used')],
  );
  const used = rows.filter((row) => row.used).map(({ hash }) => hash);
  if (used.length === 0) return stored;
  await transaction.run(
    `DELETE FROM svc.unused_embeddings USING svc.embeddings
     WHERE embedding = embeddings.id AND space = $1 AND hash = ANY ($2)`,
    [space, used],
  );
  return stored;
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

/** The refused media documents of the origin under any identity; by path. */
export async function refusedMedia(
  server: Server,
  { memory, origin }: Place,
): Promise<RefusedMedia[]> {
  return server.query<RefusedMedia>(
    `SELECT refused.identity, documents.path, mime_type AS "mimeType", why FROM svc.documents
     ${JOIN_CHUNKS}
     JOIN svc.refused_contents AS refused ON refused.hash = chunks.hash
     WHERE documents.memory = $1 AND origin = $2 AND kind = 'media' ORDER BY documents.path`,
    [memory, origin],
  );
}

/** A page of the vectors that notes use, by id. */
export async function storedEmbeddings(
  sql: Sql,
  memory: number,
  identity: string,
  { after, limit }: IdPage,
): Promise<StoredEmbedding[]> {
  const space = await findSpace(sql, memory, identity);
  if (space === undefined) return [];
  const rows = await sql.query<{ id: number; hash: Buffer; vector: Buffer }>(
    `SELECT id, hash, vector FROM svc.embeddings WHERE space = $2 AND id > $3 AND EXISTS (
       SELECT FROM svc.chunks JOIN svc.documents ON documents.id = chunks.document
       WHERE chunks.memory = $1 AND chunks.hash = embeddings.hash AND source = 'memory'
     ) ORDER BY id LIMIT $4`,
    [memory, space.id, after, limit],
  );
  return rows.map(({ id, hash, vector }) => {
    return { id, hash, vectors: unpackVectors(vector, space.dimensions) };
  });
}

const PACKED = 'SELECT embeddings.id, identity, dimensions, hash, vector';
const IN_SPACE = 'FROM svc.embeddings JOIN svc.spaces ON spaces.id = space';

/** Of the memory of agent `$1`. */
const OF_AGENT = `EXISTS (
  SELECT FROM svc.memories
  JOIN svc.memory_spaces AS used ON used.memory = memories.id AND used.space = embeddings.space
  JOIN svc.chunks ON chunks.memory = memories.id AND chunks.hash = embeddings.hash
  WHERE agent = $1)`;

/**
 * The vectors that an agent's memory uses. The texts of added vectors may be indexed later: until then, only vectors
 * that were cached before count as unused.
 */
export function packedStore(server: Server, agent: string): PackedStore {
  return {
    count: async () => {
      const [row] = await server.query<{ readonly count: number }>(
        `SELECT count(*) AS count ${IN_SPACE} WHERE ${OF_AGENT}`,
        [agent],
      );
      return row?.count ?? 0;
    },
    page: ({ after, limit }) =>
      server.query<PackedEmbedding>(
        `${PACKED}, true AS used ${IN_SPACE} WHERE ${OF_AGENT} AND embeddings.id > $2
         ORDER BY embeddings.id LIMIT $3`,
        [agent, after, limit],
      ),
    find: (rows) =>
      server.query<PackedEmbedding>(
        `${PACKED}, true AS used ${IN_SPACE}
         JOIN unnest($1::text[], $2::bytea[]) AS sought (identity, hash) USING (identity, hash)`,
        columnsOf(rows, 'identity', 'hash'),
      ),
    put: (rows) =>
      server.transaction(async (transaction) => {
        let stored = 0;
        for (const [identity, own] of groupBy(rows, (row) => row.identity)) {
          const space = await ensureSpace(transaction, identity, own[0].dimensions);
          stored += await storePacked(transaction, space, own);
        }
        return stored;
      }),
  };
}

/** Whether pgvector is installed. */
export async function vectorExtension(sql: Sql): Promise<VectorExtension> {
  const [row] = await sql.query<{ readonly version: string }>(
    "SELECT extversion AS version FROM pg_extension WHERE extname = 'vector'",
  );
  return row === undefined
    ? { loaded: false, why: 'the extension pgvector is not installed on the server' }
    : { loaded: true, version: row.version, path: 'pgvector' };
}
