import type { Sql } from '../../../postgres/index.js';
import type { DocumentKey, PromotedLine, SkippedFile, Source } from '../../types.js';
import {
  type ContentChunkRow,
  type ContentRow,
  contentOf,
  countsOf,
  type DocumentContent,
  type DocumentCounts,
  type LinkingDocument,
  type MediaCounts,
  promotedIn,
  type SourceRow,
  STORED_DOCUMENT_COLUMNS,
  type StoredDocument,
  type StoredDocumentRow,
  type SyncMark,
  storedDocumentOf,
} from '../documents.js';
import type { Place } from './facts.js';

/**
 * Joins documents with their chunks, one range of ids after the other, which OFFSET forces: the planner expects a hundred
 * ranges for each document, and would compare every chunk with every document.
 */
export const JOIN_CHUNKS = `
  CROSS JOIN unnest(chunk_ids) AS ids
  CROSS JOIN LATERAL (
    SELECT * FROM svc.chunks
    WHERE chunks.memory = documents.memory AND chunks.id >= lower(ids) AND chunks.id < upper(ids) OFFSET 0
  ) AS chunks`;

/** The documents of an origin. @param paths only those with one of these paths; all by default */
export async function storedDocuments(
  sql: Sql,
  { memory, origin }: Place,
  paths?: readonly string[],
): Promise<StoredDocument[]> {
  const rows = await sql.query<StoredDocumentRow>(
    `SELECT ${STORED_DOCUMENT_COLUMNS} FROM svc.documents
     WHERE memory = $1 AND origin = $2 AND ($3::text[] IS NULL OR path = ANY ($3))`,
    [memory, origin, paths ?? null],
  );
  return rows.map(storedDocumentOf);
}

/** The lines that dreaming wrote into a document of any origin. */
export async function promotedLines(
  sql: Sql,
  { memory, origin }: Place,
  key: DocumentKey,
): Promise<readonly PromotedLine[]> {
  const [row] = await sql.query<{ readonly facts: string | null }>(
    `SELECT facts FROM svc.documents JOIN svc.origins ON origins.id = origin
     WHERE documents.memory = $1 AND source = $2 AND path = $3
       AND CASE WHEN $4::text IS NULL THEN origins.id = $5 ELSE origins.name = $4 END`,
    [memory, key.source, key.path, key.origin ?? null, origin],
  );
  return promotedIn(row?.facts);
}

/** The documents of the origin with links. */
export async function linkingDocuments(
  sql: Sql,
  { memory, origin }: Place,
): Promise<LinkingDocument[]> {
  const rows = await sql.query<{ source: Source; path: string; links: string }>(
    `SELECT source, path, links FROM svc.documents
     WHERE memory = $1 AND origin = $2 AND links IS NOT NULL`,
    [memory, origin],
  );
  return rows.map((row) => ({ ...row, links: JSON.parse(row.links) }));
}

/** What is stored of a document of the origin. */
export async function documentContent(
  sql: Sql,
  { memory, origin }: Place,
  { source, path }: DocumentKey,
): Promise<DocumentContent | undefined> {
  const [row] = await sql.query<ContentRow>(
    `SELECT id, indexed_ms AS "indexedMs", mtime_ms AS "modifiedMs", facts FROM svc.documents
     WHERE memory = $1 AND origin = $2 AND source = $3 AND path = $4`,
    [memory, origin, source, path],
  );
  if (row === undefined) return undefined;
  const chunks = await sql.query<ContentChunkRow>(
    `SELECT start_line AS "startLine", end_line AS "endLine", headings, text, line_numbers AS "lineNumbers",
       CASE WHEN EXISTS (SELECT FROM svc.memory_spaces AS used
              JOIN svc.embeddings ON embeddings.space = used.space
              WHERE used.memory = $1 AND embeddings.hash = chunks.hash) THEN 'stored'
            WHEN EXISTS (SELECT FROM svc.refused_contents AS refused WHERE refused.hash = chunks.hash)
              THEN 'refused' ELSE 'none' END AS vector
     FROM svc.documents ${JOIN_CHUNKS}
     WHERE documents.id = $2 ORDER BY chunks.id`,
    [memory, row.id],
  );
  return contentOf(row, chunks);
}

/** Counts documents and chunks of all origins, by source, and media. Excluded transcripts do not count. */
export async function countDocuments(sql: Sql, memory: number): Promise<DocumentCounts> {
  const rows = await sql.query<SourceRow>(
    `SELECT source, count(*) AS documents, sum(chunks)::bigint AS chunks, sum(broken)::bigint AS "brokenLines"
     FROM (
       SELECT source, (SELECT coalesce(sum(upper(ids) - lower(ids)), 0) FROM unnest(chunk_ids) AS ids) AS chunks,
         coalesce((resume::json ->> 'brokenLines')::int, 0) AS broken
       FROM svc.documents
       WHERE memory = $1 AND (resume IS NULL OR resume::json ->> 'isExcluded' IS DISTINCT FROM 'true')
     ) AS counted GROUP BY source ORDER BY source`,
    [memory],
  );
  return countsOf(rows, await countMedia(sql, memory));
}

export async function countMedia(sql: Sql, memory: number): Promise<MediaCounts> {
  const [row] = await sql.query<MediaCounts>(
    `SELECT count(*) FILTER (WHERE mime_type LIKE 'image/%') AS images,
       count(*) FILTER (WHERE mime_type LIKE 'audio/%') AS audio
     FROM svc.documents WHERE memory = $1 AND kind = 'media'`,
    [memory],
  );
  return row ?? { images: 0, audio: 0 };
}

/** An estimate: a memory's share of all tables, by its chunks. */
export async function estimateBytes(sql: Sql, memory: number): Promise<number> {
  const [row] = await sql.query<{ readonly bytes: number }>(
    `SELECT coalesce(sum(pg_total_relation_size(oid)) * (SELECT chunks FROM svc.memories WHERE id = $1)
       / nullif((SELECT sum(chunks) FROM svc.memories), 0), 0)::bigint AS bytes
     FROM pg_class WHERE relkind = 'r' AND relnamespace = 'svc'::regnamespace AND relname = ANY ($2)`,
    [memory, ['documents', 'chunks', 'terms', 'postings', 'chunk_lengths', 'embeddings']],
  );
  return row?.bytes ?? 0;
}

interface MarkRow {
  readonly syncedMs: number | null;
  readonly paths: Buffer | null;
  readonly fingerprints: Buffer | null;
  readonly skipped: string;
}

/** How the last finished sync of an origin left it. */
export async function readSyncMark(sql: Sql, { origin }: Place): Promise<SyncMark> {
  const [row] = await sql.query<MarkRow>(
    `SELECT synced_ms AS "syncedMs", tree_paths AS paths, tree_fingerprints AS fingerprints, skipped
     FROM svc.origins WHERE id = $1`,
    [origin],
  );
  const { syncedMs = null, paths = null, fingerprints = null, skipped = '[]' } = row ?? {};
  const files: readonly SkippedFile[] = JSON.parse(skipped);
  const isKnown = paths !== null && fingerprints !== null;
  return {
    syncedMs: syncedMs ?? undefined,
    tree: isKnown ? { paths: paths.toString(), fingerprints } : undefined,
    skipped: files,
  };
}

export async function writeSyncMark(
  sql: Sql,
  { origin }: Place,
  { syncedMs, tree, skipped }: SyncMark,
): Promise<void> {
  await sql.run(
    `UPDATE svc.origins SET synced_ms = $2, tree_paths = $3, tree_fingerprints = $4, skipped = $5,
       seen_at = clock_timestamp() WHERE id = $1`,
    [
      ...[origin, syncedMs ?? null],
      tree === undefined ? null : Buffer.from(tree.paths),
      ...[tree?.fingerprints ?? null, JSON.stringify(skipped)],
    ],
  );
}
