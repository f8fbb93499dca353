import { exactDouble, type Sql } from '../../../postgres/index.js';
import { crypto } from '../../../support/crypto.js';
import type { NoteFacts, SkippedFile } from '../../types.js';
import {
  type ContentChunkRow,
  type ContentRow,
  contentOf,
  countsOf,
  type DocumentCounts,
  type LinkingDocument,
  type MediaCounts,
  promotedIn,
  type SourceRow,
  type StoredDocumentRow,
  type SyncMark,
  storedDocumentColumns,
  storedDocumentOf,
  type TreeSnapshot,
} from '../documents.js';
import type { FrontMatterFault, MemoryIndex } from '../memory-index.js';
import type { OpenMemory } from './candidates.js';
import { originRemoved } from './change-memory.js';

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

/** The host's documents in the memory `$1`, by its name `$2`: its id changes when others remove it. */
const IS_OWN =
  'memory = $1 AND origin = (SELECT id FROM svc.origins WHERE memory = $1 AND name = $2)';

/** What an index has of documents. */
export function documentQueries(memory: OpenMemory) {
  const { sql } = memory;
  const own = (): readonly [number, string] => [memory.facts.memory, memory.name];
  return {
    hasDocuments: async (source) => (await memory.current()).sources.includes(source),
    documents: async (paths) => {
      const rows = await sql.query<StoredDocumentRow>(
        `SELECT ${storedDocumentColumns(exactDouble)} FROM svc.documents
         WHERE ${IS_OWN} AND ($3::text[] IS NULL OR path = ANY ($3))`,
        [...own(), paths ?? null],
      );
      return rows.map(storedDocumentOf);
    },
    // Of any origin.
    promotedLines: async (key) => {
      const own = memory.facts;
      const [row] = await sql.query<{ readonly facts: string | null }>(
        `SELECT facts FROM svc.documents JOIN svc.origins ON origins.id = origin
         WHERE documents.memory = $1 AND source = $2 AND path = $3
           AND CASE WHEN $4::text IS NULL THEN origins.id = $5 ELSE origins.name = $4 END`,
        [own.memory, key.source, key.path, key.origin ?? null, own.origin],
      );
      return promotedIn(row?.facts);
    },
    links: async () => {
      const rows = await sql.query<Omit<LinkingDocument, 'links'> & { links: string }>(
        `SELECT source, path, links FROM svc.documents WHERE ${IS_OWN} AND links IS NOT NULL`,
        own(),
      );
      return rows.map((row) => ({ ...row, links: JSON.parse(row.links) }));
    },
    content: async ({ source, path }) => {
      const [row] = await sql.query<ContentRow>(
        `SELECT id, facts FROM svc.documents WHERE ${IS_OWN} AND source = $3 AND path = $4`,
        [...own(), source, path],
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
        [memory.facts.memory, row.id],
      );
      return contentOf(row, chunks);
    },
    mediaCounts: async () => countMedia(sql, memory.facts.memory),
    statistics: async () => {
      const id = memory.facts.memory;
      const [counts, bytes, { syncedMs }] = await sql.reading((reader) =>
        Promise.all([
          countDocuments(reader, id),
          estimateBytes(reader, id),
          readSyncMark(reader, memory),
        ]),
      );
      return { ...counts, bytes, syncedMs };
    },
    syncMark: async () => readSyncMark(sql, memory),
    hasTree: async (tree) => {
      const { treePaths, treeFingerprints } = await memory.opened();
      const [paths, fingerprints] = treeHashes(tree);
      return paths.equals(treePaths ?? NO_HASH) && fingerprints.equals(treeFingerprints ?? NO_HASH);
    },
    markSynced: async ({ syncedMs, skipped }, tree) => {
      const marked = await sql.run(
        `UPDATE svc.origins SET synced_ms = $3, tree_paths = $4, tree_fingerprints = $5, skipped = $6,
           seen_at = clock_timestamp() WHERE memory = $1 AND name = $2`,
        [
          ...[...own(), syncedMs ?? null],
          ...(tree === undefined ? [null, null] : treeHashes(tree)),
          JSON.stringify(skipped),
        ],
      );
      if (marked === 0) throw originRemoved();
    },
    frontMatterFaults: async () => {
      const rows = await sql.query<{ readonly path: string; readonly facts: string }>(
        `SELECT path, facts FROM svc.documents WHERE ${IS_OWN} AND facts LIKE '%"fault":%'
         ORDER BY path`,
        own(),
      );
      return rows.flatMap(({ path, facts }): readonly FrontMatterFault[] => {
        // Parsed here: the functions of PostgreSQL refuse NUL and halves of characters, which YAML can express.
        const { fault }: NoteFacts = JSON.parse(facts);
        return fault === undefined ? [] : [{ path, why: fault }];
      });
    },
  } satisfies Partial<MemoryIndex>;
}

/** Counts documents and chunks of all origins, by source, and media. Excluded transcripts do not count. */
async function countDocuments(sql: Sql, memory: number): Promise<DocumentCounts> {
  const reading = sql.query<SourceRow>(
    `SELECT source, count(*) AS documents, sum(chunks)::bigint AS chunks, sum(broken)::bigint AS "brokenLines"
     FROM (
       SELECT source, (SELECT coalesce(sum(upper(ids) - lower(ids)), 0) FROM unnest(chunk_ids) AS ids) AS chunks,
         coalesce((resume::json ->> 'brokenLines')::int, 0) AS broken
       FROM svc.documents
       WHERE memory = $1 AND (resume IS NULL OR resume::json ->> 'isExcluded' IS DISTINCT FROM 'true')
     ) AS counted GROUP BY source ORDER BY source`,
    [memory],
  );
  const [rows, media] = await Promise.all([reading, countMedia(sql, memory)]);
  return countsOf(rows, media);
}

async function countMedia(sql: Sql, memory: number): Promise<MediaCounts> {
  const [row] = await sql.query<MediaCounts>(
    `SELECT count(*) FILTER (WHERE mime_type LIKE 'image/%') AS images,
       count(*) FILTER (WHERE mime_type LIKE 'audio/%') AS audio
     FROM svc.documents WHERE memory = $1 AND kind = 'media'`,
    [memory],
  );
  return row ?? { images: 0, audio: 0 };
}

/** An estimate: a memory's share of all tables, by its chunks. */
async function estimateBytes(sql: Sql, memory: number): Promise<number> {
  const [row] = await sql.query<{ readonly bytes: number }>(
    `SELECT coalesce(sum(pg_total_relation_size(oid)) * (SELECT chunks FROM svc.memories WHERE id = $1)
       / nullif((SELECT sum(chunks) FROM svc.memories), 0), 0)::bigint AS bytes
     FROM pg_class WHERE relkind = 'r' AND relnamespace = 'svc'::regnamespace AND relname = ANY ($2)`,
    [memory, ['documents', 'chunks', 'terms', 'postings', 'chunk_lengths', 'embeddings']],
  );
  return row?.bytes ?? 0;
}

/** What a scan saw, as it is stored: each search would transfer the paths of all files otherwise. */
function treeHashes({ paths, fingerprints }: TreeSnapshot): readonly [Buffer, Buffer] {
  const hash = (part: Buffer | string): Buffer => crypto().hash('sha256', part, 'buffer');
  return [hash(paths), hash(fingerprints)];
}

const NO_HASH = Buffer.alloc(0);

interface MarkRow {
  readonly syncedMs: number | null;
  readonly skipped: string;
}

async function readSyncMark(sql: Sql, { name, facts }: OpenMemory): Promise<SyncMark> {
  const [row] = await sql.query<MarkRow>(
    'SELECT synced_ms AS "syncedMs", skipped FROM svc.origins WHERE memory = $1 AND name = $2',
    [facts.memory, name],
  );
  const { syncedMs = null, skipped = '[]' } = row ?? {};
  const files: readonly SkippedFile[] = JSON.parse(skipped);
  return { syncedMs: syncedMs ?? undefined, skipped: files };
}
