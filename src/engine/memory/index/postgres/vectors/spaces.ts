import {
  PGVECTOR_SCHEMA,
  type Sql,
  type Transaction,
  vectorIndexName,
} from '../../../../postgres/index.js';
import { requireDimensions } from '../../vector-bytes.js';

/** The vectors of an embedding identity, as a memory uses them. */
export interface Space {
  readonly id: number;
  readonly identity: string;
  readonly dimensions: number;
  /** Every chunk of the memory up to this id has a vector. */
  readonly wholeTo: number;
  /** The schema of pgvector, quoted, if it has an index of the codes. */
  readonly indexedBy: string | null;
}

/** The space of an identity, if it exists. */
export async function findSpace(
  sql: Sql,
  memory: number,
  identity: string,
): Promise<Space | undefined> {
  const [space] = await sql.query<Space>(
    `SELECT id, identity, dimensions, coalesce(whole_to, 0) AS "wholeTo",
       CASE WHEN to_regclass('svc.${vectorIndexName('')}' || id::text) IS NOT NULL
         THEN quote_ident(${PGVECTOR_SCHEMA}) END AS "indexedBy"
     FROM svc.spaces LEFT JOIN svc.memory_spaces ON space = id AND memory = $1 WHERE identity = $2`,
    [memory, identity],
  );
  return space;
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

/** Makes a memory use the spaces of some identities. */
export async function enterSpaces(
  transaction: Transaction,
  memory: number,
  identities: readonly string[],
): Promise<void> {
  const used = await transaction.query<{ readonly space: number }>(
    `INSERT INTO svc.memory_spaces (memory, space)
     SELECT $1, id FROM svc.spaces WHERE identity = ANY ($2) ON CONFLICT DO NOTHING RETURNING space`,
    [memory, identities],
  );
  if (used.length === 0) return;
  await transaction.run(
    `DELETE FROM svc.unused_embeddings USING svc.embeddings
     WHERE embedding = embeddings.id AND space = ANY ($2)
       AND EXISTS (SELECT FROM svc.chunks WHERE memory = $1 AND chunks.hash = embeddings.hash)`,
    [memory, used.map(({ space }) => space)],
  );
}

/**
 * The end of a statement: chunks that have no vector in a space and were not refused. As single values, because what
 * is asked for is the first few: a join would look at all chunks first.
 */
const WITHOUT_VECTOR = `
  FROM svc.chunks WHERE chunks.memory = $1 AND chunks.id > $2 AND (
    SELECT 1 FROM svc.embeddings WHERE space = $3 AND embeddings.hash = chunks.hash
  ) IS NULL AND (
    SELECT 1 FROM svc.refused_contents AS refused WHERE refused.identity = $4 AND refused.hash = chunks.hash
  ) IS NULL`;

/** Of these, the ones that a host can embed: a media file can only be read where it is. `$5` is the origin. */
export const WITHOUT_VECTOR_HERE = `${WITHOUT_VECTOR} AND (
    SELECT 1 FROM svc.documents
    WHERE documents.id = chunks.document AND kind = 'media' AND documents.origin <> $5
  ) IS NULL`;

/** Raises `whole_to` to the last chunk before the first without a vector. */
export async function raiseWholeTo(
  transaction: Transaction,
  memory: number,
  { id, identity }: Pick<Space, 'id' | 'identity'>,
): Promise<void> {
  // Locked first, so that the next statement sees what whoever lowered it has deleted.
  const [known] = await transaction.query<{ readonly wholeTo: number }>(
    'SELECT whole_to AS "wholeTo" FROM svc.memory_spaces WHERE memory = $1 AND space = $2 FOR UPDATE',
    [memory, id],
  );
  if (known === undefined) return;
  await transaction.run(
    `UPDATE svc.memory_spaces SET whole_to = coalesce(
       (SELECT chunks.id - 1 ${WITHOUT_VECTOR} ORDER BY chunks.id LIMIT 1),
       (SELECT max(chunks.id) FROM svc.chunks WHERE chunks.memory = $1), 0)
     WHERE memory_spaces.memory = $1 AND memory_spaces.space = $3`,
    [memory, known.wholeTo, id, identity],
  );
}

/**
 * The code of a content as a bit string: for each dimension whether the sum of its vectors is negative there; see
 * sign-codes.ts of SQLite.
 */
export function signBits(vector: ArrayLike<number>): string {
  let bits = '';
  for (let at = 0; at < vector.length; at++) bits += (vector[at] ?? 0) < 0 ? '1' : '0';
  return bits;
}
