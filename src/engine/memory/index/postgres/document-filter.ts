import type { Sql } from '../../../postgres/index.js';
import type { CandidateFilter } from '../candidates.js';
import type { MemoryFacts } from './facts.js';

/** A document that a filter keeps. */
interface KeptDocument {
  readonly id: number;
  readonly path: string;
  /** Like `{[1,5),[8,9)}`. */
  readonly chunks: string;
}

/** The documents that a filter keeps; undefined when it keeps all. */
export async function keptDocuments(
  { sql, facts }: { readonly sql: Sql; readonly facts: MemoryFacts },
  { sources, kinds, path }: CandidateFilter = {},
): Promise<readonly KeptDocument[] | undefined> {
  const kept: readonly string[] | undefined = sources;
  const isOfOther = facts.sources.some((source) => kept?.includes(source) === false);
  if (!isOfOther && kinds === undefined && path === undefined) return undefined;
  const rows = await sql.query<KeptDocument>(
    `SELECT id, path, chunk_ids::text AS chunks FROM svc.documents
     WHERE memory = $1 AND ($2::text[] IS NULL OR source = ANY ($2)) AND ($3::text[] IS NULL OR kind = ANY ($3))`,
    [facts.id, sources ?? null, kinds ?? null],
  );
  return path === undefined ? rows : rows.filter((row) => path(row.path));
}

const RANGE = /\[(\d+),(\d+)\)/g;

/** Whether a chunk's document is kept. */
export function keepsChunk(
  documents: readonly KeptDocument[] | undefined,
): (id: number) => boolean {
  if (documents === undefined) return () => true;
  const kept = new Set<number>();
  for (const { chunks } of documents) {
    for (const [, first, past] of chunks.matchAll(RANGE)) {
      for (let id = Number(first); id < Number(past); id++) kept.add(id);
    }
  }
  return (id) => kept.has(id);
}
