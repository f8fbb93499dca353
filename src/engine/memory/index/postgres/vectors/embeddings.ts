import type { Server, Transaction } from '../../../../postgres/index.js';
import { columnsOf, groupBy } from '../../../../support/lists.js';
import { ofContents } from '../../content-hash.js';
import type {
  PackedEmbedding,
  PackedStore,
  RefusedMedia,
  VectorSpaceStatistics,
} from '../../embedding-records.js';
import {
  packVectors,
  requireDimensions,
  sumOfVectors,
  unitVector,
  unpackVectors,
} from '../../vector-bytes.js';
import type { VectorIndex } from '../../vector-index.js';
import type { OpenMemory } from '../candidates.js';
import { JOIN_CHUNKS } from '../read-documents.js';
import { ensureSpace, enterSpaces, findSpace, raiseWholeTo, signBits } from './spaces.js';

/** The vectors of a memory. */
export function embeddingQueries(memory: OpenMemory) {
  const { sql } = memory;
  return {
    vectorIdentities: async () => {
      const rows = await sql.query<{ readonly identity: string }>(
        `SELECT identity FROM svc.memory_spaces JOIN svc.spaces ON id = space WHERE memory = $1 ORDER BY id`,
        [memory.facts.memory],
      );
      return rows.map(({ identity }) => identity);
    },
    vectorSpaces: async () =>
      sql.query<VectorSpaceStatistics>(
        `SELECT identity, dimensions,
           (SELECT count(*) FROM svc.chunks WHERE chunks.memory = $1 AND EXISTS (
             SELECT FROM svc.embeddings WHERE space = spaces.id AND embeddings.hash = chunks.hash)) AS chunks,
           (SELECT count(*) FROM svc.embeddings WHERE space = spaces.id AND NOT EXISTS (
             SELECT FROM svc.chunks WHERE chunks.hash = embeddings.hash)) AS cached,
           (SELECT count(*) FROM svc.chunks JOIN svc.refused_contents AS refused USING (hash)
             WHERE chunks.memory = $1 AND refused.identity = spaces.identity) AS refused
         FROM svc.memory_spaces JOIN svc.spaces ON spaces.id = space
         WHERE memory_spaces.memory = $1 ORDER BY spaces.id`,
        [memory.facts.memory],
      ),
    putEmbeddings: async (identity, entries) => {
      const [first] = entries;
      if (first === undefined) return;
      const { memory: own } = memory.facts;
      const dimensions = first.vectors[0]?.length ?? 0;
      const rows = entries.map(({ hash, vectors }) => {
        for (const vector of vectors) requireDimensions(dimensions, vector.length);
        return { hash, dimensions, vector: packVectors(vectors.map(unitVector)), used: false };
      });
      await sql.transaction(async (transaction) => {
        const id = await ensureSpace(transaction, identity, dimensions);
        await enterSpaces(transaction, own, [identity]);
        await storePacked(transaction, id, await usedRows(transaction, rows));
        await endClaims(transaction, identity, entries);
        await raiseWholeTo(transaction, own, { id, identity });
      });
    },
    // Refused texts are ignored before the first vector, as in SQLite.
    refuseEmbeddings: async (identity, refused) => {
      const { memory: own } = memory.facts;
      const space = await findSpace(sql, own, identity);
      const recorded = refused.filter(({ isMedia }) => isMedia || space !== undefined);
      await sql.transaction(async (transaction) => {
        await transaction.run(
          `INSERT INTO svc.refused_contents (identity, hash, why)
           SELECT DISTINCT ON (hash) $1, hash, why FROM unnest($2::bytea[], $3::text[]) AS new (hash, why)
           ON CONFLICT (identity, hash) DO UPDATE SET why = excluded.why`,
          [identity, ...columnsOf(recorded, 'hash', 'why')],
        );
        await endClaims(transaction, identity, refused);
        if (space !== undefined) await raiseWholeTo(transaction, own, space);
      });
    },
    refusedMedia: async () => {
      const own = await memory.current();
      return sql.query<RefusedMedia>(
        `SELECT refused.identity, documents.path, mime_type AS "mimeType", why FROM svc.documents
         ${JOIN_CHUNKS}
         JOIN svc.refused_contents AS refused ON refused.hash = chunks.hash
         WHERE documents.memory = $1 AND origin = $2 AND kind = 'media' ORDER BY documents.path`,
        [own.memory, own.origin],
      );
    },
    storedEmbeddings: async (identity, { after, limit }) => {
      const { memory: own } = memory.facts;
      const space = await findSpace(sql, own, identity);
      if (space === undefined) return [];
      const rows = await sql.query<{ id: number; hash: Buffer; vector: Buffer }>(
        `SELECT id, hash, vector FROM svc.embeddings WHERE space = $2 AND id > $3 AND EXISTS (
           SELECT FROM svc.chunks JOIN svc.documents ON documents.id = chunks.document
           WHERE chunks.memory = $1 AND chunks.hash = embeddings.hash AND source = 'memory'
         ) ORDER BY id LIMIT $4`,
        [own, space.id, after, limit],
      );
      return rows.map(({ id, hash, vector }) => {
        return { id, hash, vectors: unpackVectors(vector, space.dimensions) };
      });
    },
    // Whether pgvector is installed.
    vectorExtension: async () => {
      const [row] = await sql.query<{ readonly version: string }>(
        "SELECT extversion AS version FROM pg_extension WHERE extname = 'vector'",
      );
      return row === undefined
        ? { loaded: false, why: 'the extension pgvector is not installed on the server' }
        : { loaded: true, version: row.version, path: 'pgvector' };
    },
  } satisfies Partial<VectorIndex>;
}

/**
 * The rows whose text some memory has: a chunk may have been deleted, perhaps forgotten, while the provider worked. The
 * chunks are locked, because whoever deletes one must find its vector, to put it out of use.
 */
async function usedRows<Row extends { readonly hash: Buffer }>(
  transaction: Transaction,
  rows: readonly Row[],
): Promise<readonly Row[]> {
  const lock = async (): Promise<readonly Row[]> => {
    const chunks = await transaction.query<{ readonly hash: Buffer }>(
      'SELECT hash FROM svc.chunks WHERE hash = ANY ($1) ORDER BY memory, id FOR KEY SHARE',
      columnsOf(rows, 'hash'),
    );
    return ofContents(rows, chunks);
  };
  const used = await lock();
  // A writer that was waited for may have replaced a note, whose other texts are in new chunks.
  return used.length === rows.length ? used : lock();
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
