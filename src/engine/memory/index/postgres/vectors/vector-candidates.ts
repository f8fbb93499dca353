import type { MediaSample, VectorCandidate } from '../../candidates.js';
import { bestCosine, queryVector, requireDimensions } from '../../vector-bytes.js';
import { candidatesOfContents, type Searched } from '../candidates.js';
import type { Kept } from '../document-filter.js';
import { nearest } from './nearest.js';
import { findSpace } from './spaces.js';

/** A nearest-neighbour query under one identity. */
export interface VectorQuery {
  readonly identity: string;
  readonly vector: Float32Array;
  readonly limit: number;
  /** What to search; undefined for everything. */
  readonly kept: Kept | undefined;
}

/** Growth of the request when several chunks or hosts share contents. */
const GROWTH = 4;

/**
 * The chunks nearest to a query vector, best first; ties by path and line.
 *
 * @throws SvcError PROVIDER_ANSWER_INVALID when the query has another length than the vectors
 */
export async function vectorCandidates(
  searched: Searched,
  { identity, vector, limit, kept }: VectorQuery,
): Promise<VectorCandidate[]> {
  const { sql, facts } = searched;
  const space = await findSpace(sql, facts.id, identity);
  if (space === undefined) return [];
  requireDimensions(space.dimensions, vector.length);
  const documents = kept?.documents.map(({ id }) => id);
  const request = {
    ...{ memory: facts.id, space, query: queryVector(vector), documents },
    chunks: facts.chunks,
  };
  for (let count = limit; ; count *= GROWTH) {
    const found = await nearest(sql, request, count);
    const candidates = await candidatesOfContents(searched, found, limit, kept);
    if (candidates.length >= limit || found.length < count) return candidates;
  }
}

/** Cosines between given chunks and a query; chunks without a vector are absent. */
export async function similarities(
  { sql, facts }: Pick<Searched, 'facts' | 'sql'>,
  identity: string,
  vector: Float32Array,
  chunkIds: readonly number[],
): Promise<Map<number, number>> {
  if (chunkIds.length === 0) return new Map();
  const query = queryVector(vector);
  const rows = await sql.query<{ readonly id: number; readonly vector: Buffer }>(
    `SELECT chunks.id, vector FROM svc.spaces
     JOIN svc.chunks ON memory = $1 AND chunks.id = ANY ($3)
     JOIN svc.embeddings ON space = spaces.id AND embeddings.hash = chunks.hash
     WHERE identity = $2 ORDER BY chunks.id`,
    [facts.id, identity, chunkIds],
  );
  return new Map(rows.map((row) => [row.id, bestCosine(query, row.vector)]));
}

/**
 * Cosines between a query and the nearest pieces of texts sampled evenly from a memory, as a baseline of chance
 * similarity. Media are left out: models place them far from all texts.
 */
export async function sampleSimilarities(
  { sql, facts }: Pick<Searched, 'facts' | 'sql'>,
  identity: string,
  vector: Float32Array,
  count: number,
): Promise<number[]> {
  const query = queryVector(vector);
  // The next chunk after each of some evenly spaced ids, because deleted ids are not used again.
  const rows = await sql.query<{ readonly vector: Buffer }>(
    `WITH bounds AS (SELECT min(id) AS first, max(id) + 1 AS past FROM svc.chunks WHERE memory = $1),
     places AS (
       SELECT trunc(first + at * greatest(1, (past - first)::float8 / $3::int))::int AS id, past
       FROM bounds CROSS JOIN generate_series(0, $3::int - 1) AS at
     ), sample AS (
       SELECT DISTINCT chunk.id, chunk.hash FROM places CROSS JOIN LATERAL (
         SELECT id, hash, document FROM svc.chunks WHERE memory = $1 AND chunks.id >= places.id
         ORDER BY chunks.id LIMIT 1
       ) AS chunk JOIN svc.documents ON documents.id = chunk.document AND kind <> 'media'
       WHERE places.id < past
     )
     SELECT vector FROM sample JOIN svc.embeddings USING (hash) JOIN svc.spaces ON spaces.id = space
     WHERE identity = $2 ORDER BY sample.id`,
    [facts.id, identity, count],
  );
  return rows.map((row) => bestCosine(query, row.vector));
}

/** The same for media, with the chunks of all of them. */
export async function sampleMedia(
  searched: Pick<Searched, 'facts' | 'sql'>,
  identity: string,
  vector: Float32Array,
  count: number,
): Promise<MediaSample> {
  const { sql, facts } = searched;
  if (!facts.hasMedia) return { chunkIds: new Set(), similarities: [] };
  const rows = await sql.query<{ readonly first: number; readonly past: number }>(
    `SELECT lower(ids) AS first, upper(ids) AS past FROM svc.documents CROSS JOIN unnest(chunk_ids) AS ids
     WHERE memory = $1 AND kind = 'media' ORDER BY first`,
    [facts.id],
  );
  const all = rows.flatMap(({ first, past }) =>
    Array.from({ length: past - first }, (_, at) => first + at),
  );
  const step = Math.max(1, all.length / count);
  const places = Array.from({ length: Math.min(count, all.length) }, (_, at) =>
    Math.floor(at * step),
  );
  const ids = places.map((at) => all[at] ?? 0);
  const sample = await similarities(searched, identity, vector, ids);
  return { chunkIds: new Set(all), similarities: [...sample.values()] };
}
