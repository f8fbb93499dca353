import type { Server } from '../../../../postgres/index.js';
import {
  comparedExactly,
  evenSample,
  FEWEST_CODED_DIMENSIONS,
  mostSimilar,
} from '../../candidates.js';
import {
  bestCosine,
  type QueryVector,
  queryVector,
  requireDimensions,
} from '../../vector-bytes.js';
import type { VectorIndex } from '../../vector-index.js';
import { candidatesOfContents, type OpenMemory, type SearchedMemory } from '../candidates.js';
import type { KeptChunks } from '../document-filter.js';
import { findSpace, type Space, signBits } from './spaces.js';

/**
 * The questions of searches by vectors. Similarities are exact; in a large memory, where codes of whole contents choose
 * what is compared, one in a few hundred of the nearest may be missed.
 */
export function vectorQueries(memory: OpenMemory) {
  const { sql } = memory;
  const similarities = async (
    identity: string,
    vector: Float32Array,
    chunkIds: readonly number[],
  ): Promise<Map<number, number>> => {
    if (chunkIds.length === 0) return new Map();
    const query = queryVector(vector);
    const rows = await sql.query<{ readonly id: number; readonly vector: Buffer }>(
      `SELECT chunks.id, vector FROM svc.spaces
       JOIN svc.chunks ON memory = $1 AND chunks.id = ANY ($3)
       JOIN svc.embeddings ON space = spaces.id AND embeddings.hash = chunks.hash
       WHERE identity = $2 ORDER BY chunks.id`,
      [memory.facts.memory, identity, chunkIds],
    );
    return new Map(rows.map((row) => [row.id, bestCosine(query, row.vector)]));
  };
  return {
    similarities,
    vectorCandidates: async (identity, vector, limit, filter) => {
      const kept = await memory.filtered(filter);
      const searched = await memory.searched();
      const space = await findSpace(sql, searched.facts.memory, identity);
      if (space === undefined) return [];
      requireDimensions(space.dimensions, vector.length);
      const query = queryVector(vector);
      const rows = await worthComparing(searched, { space, query, kept }, limit);
      const near = rows.map((row) => ({
        hash: row.hash,
        similarity: bestCosine(query, row.vector),
      }));
      return candidatesOfContents(searched, mostSimilar(near, limit), limit, kept);
    },
    // Texts and media apart, because models place media far from all texts.
    sampleSimilarities: async (identity, vector, count) => {
      const { facts } = memory;
      const query = queryVector(vector);
      const values = [facts.memory, identity, count];
      const checked = count * CHECKED;
      const ofSpace =
        facts.chunks <= checked
          ? []
          : await sql.query<VectorOnly>(FIRST_OF_SPACE, [...values, checked]);
      // The memory is small, or the space is mostly of others.
      const isEnough = ofSpace.length >= count * ENOUGH;
      const sample = isEnough ? ofSpace : await sql.query<VectorOnly>(FIRST_OF_MEMORY, values);
      const all = facts.hasMedia ? await mediaChunks(sql, facts.memory) : [];
      const media = await similarities(identity, vector, evenSample(all, count));
      return {
        texts: sample.map((row) => bestCosine(query, row.vector)),
        media: [...media.values()],
        mediaChunks: new Set(all),
      };
    },
  } satisfies Partial<VectorIndex>;
}

type VectorOnly = Pick<VectorRow, 'vector'>;

/** Share of a sample that is enough. */
const ENOUGH = 1 / 8;
/** How many vectors of a space, which may be of other memories, are checked for each one of a sample. */
const CHECKED = 8;

/*
 * Hashes are random and do not depend on what was indexed before, as ids do: a note that is edited often has ids far
 * from all others.
 */

const IS_TEXT = "JOIN svc.documents ON documents.id = document AND kind <> 'media'";
const OF_SPACE = 'space = (SELECT id FROM svc.spaces WHERE identity = $2)';

/** Texts of a memory among the first `$4` vectors of a space. */
const FIRST_OF_SPACE = `
  SELECT vector FROM (
    SELECT hash, vector FROM svc.embeddings WHERE ${OF_SPACE} ORDER BY hash LIMIT $4
  ) AS checked
  WHERE EXISTS (
    SELECT FROM svc.chunks ${IS_TEXT} WHERE chunks.memory = $1 AND chunks.hash = checked.hash)
  ORDER BY hash LIMIT $3`;

/** The first texts of a memory that have a vector. */
const FIRST_OF_MEMORY = `
  SELECT vector FROM (
    SELECT DISTINCT chunks.hash FROM svc.chunks ${IS_TEXT} WHERE chunks.memory = $1
  ) AS texts JOIN svc.embeddings USING (hash)
  WHERE ${OF_SPACE} ORDER BY hash LIMIT $3`;

async function mediaChunks(sql: Server, memory: number): Promise<readonly number[]> {
  const rows = await sql.query<{ readonly id: number }>(
    `SELECT chunk AS id FROM svc.documents CROSS JOIN unnest(chunk_ids) AS ids
     CROSS JOIN generate_series(lower(ids), upper(ids) - 1) AS chunk
     WHERE memory = $1 AND kind = 'media' ORDER BY chunk`,
    [memory],
  );
  return rows.map(({ id }) => id);
}

interface NearestRequest {
  readonly space: Space;
  readonly query: QueryVector;
  /** What to choose from; undefined for all. */
  readonly kept: KeptChunks | undefined;
}

/** With up to this many chunks, all are compared exactly. */
const FEW = 1024;
/** From this share of a memory on, enough of the nearest codes of all contents are of chunks that are kept. */
const LARGE_SHARE = 1 / 4;

interface VectorRow {
  readonly hash: Buffer;
  readonly vector: Buffer;
}

/** `$1` is the memory, `$2` the space, `$3` what is kept; null for all. */
const OF_MEMORY = `
  FROM svc.embeddings WHERE space = $2 AND EXISTS (
    SELECT FROM svc.chunks WHERE memory = $1 AND chunks.hash = embeddings.hash
      AND ($3::int4multirange IS NULL OR chunks.id <@ $3))`;
/** The same, beginning with what is kept. OFFSET forces to read one range of ids after the other. */
const OF_KEPT = `
  FROM svc.embeddings WHERE space = $2 AND hash = ANY (ARRAY(
    SELECT hash FROM unnest($3::int4multirange) AS ids
    CROSS JOIN LATERAL (
      SELECT hash FROM svc.chunks WHERE memory = $1 AND id >= lower(ids) AND id < upper(ids) OFFSET 0
    ) AS chunks))`;

/** The contents to compare exactly, to find the nearest `count`. */
async function worthComparing(
  { sql, facts: { memory, chunks } }: SearchedMemory,
  { space, query, kept }: NearestRequest,
  count: number,
): Promise<readonly VectorRow[]> {
  const { id, dimensions, indexedBy } = space;
  const [of, among] = kept === undefined ? [OF_MEMORY, chunks] : [OF_KEPT, kept.ids.size];
  const values = [memory, id, kept?.ranges];
  if (among <= FEW || dimensions < FEWEST_CODED_DIMENSIONS) {
    return sql.query(`SELECT hash, vector ${of}`, values);
  }
  const hasIndex = indexedBy !== null && kept === undefined;
  const most = Math.ceil(comparedExactly(count, hasIndex ? 0 : chunks));
  const bits = signBits(query);
  const nearestCodes = (where = ''): string => `id = ANY (ARRAY(
    SELECT embedding FROM svc.embedding_codes WHERE space = $2 ${where}
    ORDER BY bit_count(code # $4::varbit) LIMIT $5))`;
  const share = among / chunks;
  if (share >= LARGE_SHARE) {
    // Most servers have few memories, and finding out which contents are of this one takes longer than comparing.
    const enough = [...values, bits, Math.ceil(most / share)];
    const rows = hasIndex
      ? await fromIndex(sql, space, enough, most)
      : await sql.query<VectorRow>(
          `SELECT hash, vector ${OF_MEMORY} AND ${nearestCodes()}`,
          enough,
        );
    if (rows.length >= most / 2) return rows;
  }
  return sql.query(
    `SELECT hash, vector FROM svc.embeddings
     WHERE ${nearestCodes(`AND embedding IN (SELECT id ${of})`)}`,
    [...values, bits, most],
  );
}

/** The most that pgvector visits in its first pass. */
const MOST_EF_SEARCH = 1000;

/** The nearest codes by the index of pgvector. The space's number is part of the statement, as of the index. */
async function fromIndex(
  sql: Server,
  { id, dimensions, indexedBy }: Space,
  values: readonly unknown[],
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
         ORDER BY code::bit(${dimensions}) OPERATOR(${indexedBy}.<~>) $4::bit(${dimensions}) LIMIT $5))`,
      values,
    );
  });
}
