import { exactDouble, type Sql } from '../../../postgres/index.js';
import {
  type CandidateFilter,
  type ChunkRow,
  type DocumentRow,
  filterChunkIds,
  filterRows,
  likePattern,
} from '../candidates.js';
import type { MemoryFacts } from './facts.js';

interface KeptDocument extends DocumentRow {
  /** Like `{[1,5),[8,9)}`. */
  readonly chunks: string;
}

/** The chunks that a filter keeps. */
export interface KeptChunks {
  readonly ids: ReadonlySet<number>;
  /** The same as a multirange: planning a statement with as many single ids takes longer than running it. */
  readonly ranges: string;
}

/** What a filter keeps; undefined when it keeps everything. */
export async function applyFilter(
  sql: Sql,
  facts: MemoryFacts,
  filter: CandidateFilter,
): Promise<KeptChunks | undefined> {
  const { sources, kinds, path, document } = filter;
  const wanted: readonly string[] | undefined = sources;
  const hasOtherSources = facts.sources.some((source) => wanted?.includes(source) === false);
  const keepsAllOfSource = kinds === undefined && path === undefined && document === undefined;
  if (!hasOtherSources && keepsAllOfSource) return undefined;
  const all = await sql.query<KeptDocument>(
    `SELECT documents.id, source, path, origins.name || ':' || path AS "pathWithHost",
       kind, ${exactDouble('mtime_ms')} AS "modifiedMs", ${document === undefined ? 'NULL' : 'facts'} AS facts, chunk_ids::text AS chunks
     FROM svc.documents JOIN svc.origins ON origins.id = origin
     WHERE documents.memory = $1 AND ($2::text[] IS NULL OR source = ANY ($2)) AND ($3::text[] IS NULL OR kind = ANY ($3))`,
    [facts.memory, sources ?? null, kinds ?? null],
  );
  const { rows, byChunk } = filterRows(all, filter);
  const ranges = byChunk
    ? (await filterChunks(sql, facts.memory, rows, filter)).map((id) => `[${id},${id + 1})`)
    : rows.flatMap(({ chunks }) => chunks.match(RANGE) ?? []);
  return { ids: idsIn(ranges), ranges: `{${ranges.join()}}` };
}

async function filterChunks(
  sql: Sql,
  memory: number,
  rows: readonly KeptDocument[],
  filter: CandidateFilter,
): Promise<readonly number[]> {
  const { contains } = filter;
  const chunks = await sql.query<ChunkRow>(
    `SELECT id, document, start_line AS "startLine", headings, ${contains === undefined ? `''` : 'text'} AS text,
       first_day AS first, last_day AS last
     FROM svc.chunks
     WHERE memory = $1 AND document = ANY ($2)
       AND ($3::text IS NULL OR (headings || chr(10) || text) COLLATE "C" ILIKE $3)
     ORDER BY id`,
    [memory, rows.map(({ id }) => id), contains === undefined ? null : likePattern(contains)],
  );
  return filterChunkIds(chunks, rows, filter);
}

const RANGE = /\[(\d+),(\d+)\)/gu;

function idsIn(ranges: readonly string[]): ReadonlySet<number> {
  const ids = new Set<number>();
  for (const [, first, past] of ranges.join().matchAll(RANGE)) {
    for (let id = Number(first); id < Number(past); id++) ids.add(id);
  }
  return ids;
}
