import type { Sql } from './transaction.js';

/** Fewer codes are compared one by one in a few milliseconds. */
const WORTH_INDEX = 20_000;
/** pgvector can go on searching under filters from this version on. */
const OLDEST_PGVECTOR = '{0,8}';

/**
 * SQL of the schema that pgvector is in; null if it is not installed, or too old. It may not be on the search path,
 * so its operators are named with it. AlloyDB has versions such as 0.8.0.google-3.
 */
export const PGVECTOR_SCHEMA = `(
  SELECT nspname FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace
  WHERE extname = 'vector' AND regexp_match(extversion, '^(\\d+)\\.(\\d+)')::int[] >= '${OLDEST_PGVECTOR}')`;

/** The name of the index over the codes of a space, in the schema `svc`. */
export function vectorIndexName(space: number | string): string {
  return `embedding_codes_near_${space}`;
}

/**
 * The statements that build an index of vectors where pgvector is installed and there are enough of them.
 *
 * @param fewest how many are enough
 */
export async function missingVectorIndexes(
  sql: Sql,
  fewest = WORTH_INDEX,
): Promise<readonly string[]> {
  const [table] = await sql.query(
    "SELECT FROM pg_tables WHERE schemaname = 'svc' AND tablename = 'embedding_codes'",
  );
  if (table === undefined) return [];
  const spaces = await sql.query<{
    readonly id: number;
    readonly dimensions: number;
    readonly schema: string;
  }>(
    `SELECT id, dimensions, quote_ident(${PGVECTOR_SCHEMA}) AS schema FROM svc.spaces
     WHERE ${PGVECTOR_SCHEMA} IS NOT NULL AND to_regclass('svc.${vectorIndexName('')}' || id::text) IS NULL
       AND (SELECT count(*) FROM svc.embedding_codes WHERE space = spaces.id) >= $1
     ORDER BY id`,
    [fewest],
  );
  return spaces.map(
    ({ id, dimensions, schema }) =>
      `CREATE INDEX ${vectorIndexName(id)} ON svc.embedding_codes USING hnsw ((code::bit(${dimensions})) ${schema}.bit_hamming_ops) WHERE space = ${id}`,
  );
}
