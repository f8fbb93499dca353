import type { Sql } from '../../../postgres/index.js';
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

/** What a filter keeps. */
export interface FilterResult {
  readonly documents: readonly KeptDocument[];
  /** Undefined for all chunks of the documents. */
  readonly chunks: readonly number[] | undefined;
}

/** What a filter keeps; undefined when it keeps everything. */
export async function applyFilter(
  { sql, facts }: { readonly sql: Sql; readonly facts: MemoryFacts },
  filter: CandidateFilter = {},
): Promise<FilterResult | undefined> {
  const { sources, kinds, path, document } = filter;
  const wanted: readonly string[] | undefined = sources;
  const hasOtherSources = facts.sources.some((source) => wanted?.includes(source) === false);
  const keepsAllOfSource = kinds === undefined && path === undefined && document === undefined;
  if (!hasOtherSources && keepsAllOfSource) return undefined;
  const all = await sql.query<KeptDocument>(
    `SELECT id, source, path, kind, mtime_ms AS "modifiedMs", ${document === undefined ? 'NULL' : 'facts'} AS facts,
       chunk_ids::text AS chunks
     FROM svc.documents
     WHERE memory = $1 AND ($2::text[] IS NULL OR source = ANY ($2)) AND ($3::text[] IS NULL OR kind = ANY ($3))`,
    [facts.id, sources ?? null, kinds ?? null],
  );
  const { rows, byChunk } = filterRows(all, filter);
  if (!byChunk) return { documents: rows, chunks: undefined };
  return { documents: rows, chunks: await filterChunks(sql, facts.id, rows, filter) };
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

const RANGE = /\[(\d+),(\d+)\)/g;

/** Whether a chunk is kept. */
export function keepsChunk(kept: FilterResult | undefined): (id: number) => boolean {
  if (kept === undefined) return () => true;
  const ids = new Set<number>(kept.chunks);
  if (kept.chunks === undefined) {
    for (const { chunks } of kept.documents) {
      for (const [, first, past] of chunks.matchAll(RANGE)) {
        for (let id = Number(first); id < Number(past); id++) ids.add(id);
      }
    }
  }
  return (id) => ids.has(id);
}
