import type { Server } from '../../../../postgres/index.js';
import { bestCosine, type QueryVector } from '../../vector-bytes.js';
import { type Space, signBits } from './spaces.js';

/** A content and the similarity of its nearest piece to the query. */
export interface Neighbour {
  readonly hash: Buffer;
  /** Cosine. */
  readonly similarity: number;
}

export interface NearestRequest {
  readonly memory: number;
  readonly space: Space;
  readonly query: QueryVector;
  /** Ids of the documents to choose from; undefined for all. */
  readonly documents: readonly number[] | undefined;
  /** How many chunks the memory has. */
  readonly chunks: number;
}

/** With up to this many chunks, all are compared exactly. */
const FEW = 1024;
/** At least this many are worth comparing exactly, as in SQLite, */
const WORTH = 1024;
const WORTH_SHARE = 1 / 40;
const WORTH_A_RESULT = 4;

interface VectorRow {
  readonly hash: Buffer;
  readonly vector: Buffer;
}

/** `$1` is the memory, `$2` the space. */
const OF_MEMORY = `
  FROM svc.embeddings WHERE space = $2
    AND EXISTS (SELECT FROM svc.chunks WHERE memory = $1 AND chunks.hash = embeddings.hash)`;
/** `$3` are the documents. */
const OF_DOCUMENTS = `
  FROM svc.embeddings WHERE space = $2 AND hash IN (
    SELECT chunks.hash FROM svc.documents CROSS JOIN unnest(chunk_ids) AS ids
    JOIN svc.chunks ON chunks.memory = $1 AND chunks.id >= lower(ids) AND chunks.id < upper(ids)
    WHERE documents.id = ANY ($3))`;

/**
 * The nearest contents of a memory, by their nearest piece, best first: `count` of them and ties with the last.
 * Similarities are exact; in a large memory, where codes of whole contents choose what is compared, one in a few
 * hundred of the nearest may be missed.
 */
export async function nearest(
  sql: Server,
  request: NearestRequest,
  count: number,
): Promise<readonly Neighbour[]> {
  const rows = await worthComparing(sql, request, count);
  const near = rows
    .map(({ hash, vector }) => ({ hash, similarity: bestCosine(request.query, vector) }))
    .sort((a, b) => b.similarity - a.similarity);
  const last = near[count - 1]?.similarity;
  return last === undefined ? near : near.filter(({ similarity }) => similarity >= last);
}

async function worthComparing(
  sql: Server,
  request: NearestRequest,
  count: number,
): Promise<readonly VectorRow[]> {
  const { memory, space, query, documents, chunks } = request;
  const bits = signBits(query);
  const { id, indexedBy } = space;
  const hasIndex = indexedBy !== null && documents === undefined;
  const wanted = Math.max(WORTH, count * WORTH_A_RESULT, hasIndex ? 0 : chunks * WORTH_SHARE);
  const most = Math.ceil(wanted);
  const byCode = (at: number): string =>
    `ORDER BY bit_count(code # $${at}::varbit) LIMIT $${at + 1}`;
  const nearestCodes = (from: string, order: string): string =>
    `SELECT embedding FROM svc.embedding_codes WHERE space = $2 ${from} ${order}`;
  if (documents !== undefined) {
    const among = `AND embedding IN (SELECT id ${OF_DOCUMENTS})`;
    return sql.query(
      `SELECT hash, vector FROM svc.embeddings WHERE id = ANY (ARRAY(${nearestCodes(among, byCode(4))}))`,
      [memory, id, documents, bits, most],
    );
  }
  if (chunks <= FEW) return sql.query(`SELECT hash, vector ${OF_MEMORY}`, [memory, id]);
  // Most servers have few memories, and finding out which contents are of this one takes longer than comparing.
  const rows = hasIndex
    ? await fromIndex(sql, request, bits, most)
    : await sql.query<VectorRow>(
        `SELECT hash, vector ${OF_MEMORY} AND id = ANY (ARRAY(${nearestCodes('', byCode(3))}))`,
        [memory, id, bits, most],
      );
  if (rows.length >= most / 2) return rows;
  const among = `AND embedding IN (SELECT id ${OF_MEMORY})`;
  return sql.query(
    `SELECT hash, vector FROM svc.embeddings WHERE id = ANY (ARRAY(${nearestCodes(among, byCode(3))}))`,
    [memory, id, bits, most],
  );
}

/** pgvector looks at no more in its first pass. */
const MOST_EF_SEARCH = 1000;

/** The nearest codes by the index of pgvector. The space's number is part of the statement, as of the index. */
async function fromIndex(
  sql: Server,
  { memory, space: { id, dimensions, indexedBy } }: NearestRequest,
  bits: string,
  most: number,
): Promise<readonly VectorRow[]> {
  return sql.transaction(async (transaction) => {
    await transaction.run(
      `SELECT set_config('hnsw.ef_search', '${Math.min(MOST_EF_SEARCH, most)}', true),
         set_config('hnsw.iterative_scan', 'relaxed_order', true)`,
    );
    return transaction.query<VectorRow>(
      `SELECT hash, vector ${OF_MEMORY} AND id = ANY (ARRAY(
         SELECT embedding FROM svc.embedding_codes WHERE space = ${id}
         ORDER BY code::bit(${dimensions}) OPERATOR(${indexedBy}.<~>) $3::bit(${dimensions}) LIMIT $4))`,
      [memory, id, bits, most],
    );
  });
}
