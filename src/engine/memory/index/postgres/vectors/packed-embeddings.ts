import type { Server, Sql, Transaction } from '../../../../postgres/index.js';
import { columnsOf, groupBy } from '../../../../support/lists.js';
import type {
  IdPage,
  PackedEmbedding,
  PackedStore,
  StoredEmbedding,
  VectorExtension,
  VectorSpaceStatistics,
} from '../../embedding-records.js';
import { requireDimensions, sumOfVectors, unpackVectors } from '../../vector-bytes.js';
import { findSpace, signBits } from './spaces.js';

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

/** The id of the space of an identity, created if missing. @throws SvcError PROVIDER_ANSWER_INVALID */
export async function ensureSpace(
  transaction: Transaction,
  identity: string,
  dimensions: number,
): Promise<number> {
  await transaction.run(
    'INSERT INTO svc.spaces (identity, dimensions) VALUES ($1, $2) ON CONFLICT DO NOTHING',
    [identity, dimensions],
  );
  const [space] = await transaction.query<{ readonly id: number; readonly dimensions: number }>(
    'SELECT id, dimensions FROM svc.spaces WHERE identity = $1',
    [identity],
  );
  if (space === undefined) throw new Error('a row that was just written is not there');
  requireDimensions(space.dimensions, dimensions);
  return space.id;
}

/**
 * Adds vectors that a space does not have yet; out of use unless they are marked as used, or some memory has the text.
 *
 * @returns how many
 */
export async function storePacked(
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

/** The identities whose vectors a memory uses. */
export async function vectorIdentities(sql: Sql, memory: number): Promise<string[]> {
  const rows = await sql.query<{ readonly identity: string }>(
    `SELECT identity FROM svc.memory_spaces JOIN svc.spaces ON id = space WHERE memory = $1 ORDER BY id`,
    [memory],
  );
  return rows.map(({ identity }) => identity);
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

export async function spaceStatistics(sql: Sql, memory: number): Promise<VectorSpaceStatistics[]> {
  return sql.query(
    `SELECT identity, dimensions,
       (SELECT count(*) FROM svc.chunks WHERE chunks.memory = $1 AND EXISTS (
         SELECT FROM svc.embeddings WHERE space = spaces.id AND embeddings.hash = chunks.hash)) AS chunks,
       (SELECT count(*) FROM svc.embeddings WHERE space = spaces.id AND NOT EXISTS (
         SELECT FROM svc.chunks WHERE chunks.hash = embeddings.hash)) AS cached,
       (SELECT count(*) FROM svc.chunks JOIN svc.refused_contents AS refused USING (hash)
         WHERE chunks.memory = $1 AND refused.identity = spaces.identity) AS refused
     FROM svc.memory_spaces JOIN svc.spaces ON spaces.id = space
     WHERE memory_spaces.memory = $1 ORDER BY spaces.id`,
    [memory],
  );
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
