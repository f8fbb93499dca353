import type { Sql } from '../../../../postgres/index.js';
import type {
  IdPage,
  StoredEmbedding,
  VectorExtension,
  VectorSpaceStatistics,
} from '../../embedding-records.js';
import { unpackVectors } from '../../vector-bytes.js';
import { findSpace } from './spaces.js';

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
