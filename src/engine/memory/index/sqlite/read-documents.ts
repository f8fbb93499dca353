import { type Connection, inWriteTransaction } from '../../../sqlite/database.js';
import { queryColumn, queryRow, queryRows, queryValue, runSql } from '../../../sqlite/query.js';
import { type SkippedFile, SOURCES } from '../../types.js';
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
  storedDocumentColumns,
  storedDocumentOf,
} from '../documents.js';
import type { FrontMatterFault, MemoryIndex } from '../memory-index.js';
import { bytesOnDisk } from './index-file.js';

/** What an index has of documents. @param file where it is */
export function documentQueries(database: Connection, file: string) {
  return {
    documents: async (paths) => {
      const named =
        paths === undefined
          ? ''
          : `WHERE source IN (SELECT value FROM json_each(@sources))
               AND path IN (SELECT value FROM json_each(@paths))`;
      const rows = queryRows<StoredDocumentRow>(
        database,
        `SELECT ${storedDocumentColumns((column) => column)} FROM documents ${named}`,
        { sources: JSON.stringify(SOURCES), paths: JSON.stringify(paths) },
      );
      return rows.map(storedDocumentOf);
    },
    promotedLines: async ({ source, path }) => {
      const sql = 'SELECT facts FROM documents WHERE source = ? AND path = ?';
      return promotedIn(queryValue<string | null>(database, sql, source, path));
    },
    links: async () => {
      const sql = 'SELECT source, path, links FROM documents WHERE links IS NOT NULL';
      const rows = queryRows<Omit<LinkingDocument, 'links'> & { links: string }>(database, sql);
      return rows.map((row) => ({ ...row, links: JSON.parse(row.links) }));
    },
    content: async ({ source, path }) => {
      const row = queryRow<ContentRow>(
        database,
        'SELECT id, facts FROM documents WHERE source = ? AND path = ?',
        source,
        path,
      );
      if (row === undefined) return undefined;
      const chunks = queryRows<ContentChunkRow>(
        database,
        `SELECT start_line AS startLine, end_line AS endLine, heading_path AS headings, text,
           line_numbers AS lineNumbers,
           CASE WHEN EXISTS (SELECT 1 FROM spaces JOIN embeddings ON space_id = spaces.id
                  WHERE in_use = 1 AND embeddings.hash = chunks.hash) THEN 'stored'
                WHEN EXISTS (SELECT 1 FROM refused_contents WHERE refused_contents.hash = chunks.hash)
                  THEN 'refused' ELSE 'none' END AS vector
         FROM chunks WHERE document_id = ? ORDER BY id`,
        row.id,
      );
      return contentOf(row, chunks);
    },
    mediaCounts: async () => countMedia(database),
    statistics: async () => ({
      ...countDocuments(database),
      bytes: bytesOnDisk(file),
      syncedMs: readSyncedMs(database),
    }),
    syncMark: async () => {
      const skipped = queryRows<SkipRow>(
        database,
        'SELECT path, reason, detail FROM skipped ORDER BY rowid',
      );
      return {
        syncedMs: readSyncedMs(database),
        skipped: skipped.map(({ detail, ...skip }) =>
          detail === null ? skip : { ...skip, detail },
        ),
      };
    },
    hasTree: async ({ paths, fingerprints }) =>
      queryRow(
        database,
        'SELECT 1 FROM tree WHERE paths = ? AND fingerprints = ?',
        paths,
        fingerprints,
      ) !== undefined,
    markSynced: async ({ syncedMs, skipped }, tree) =>
      inWriteTransaction(database, () => {
        writeMeta(database, 'synced_ms', String(syncedMs ?? ''));
        database.exec('DELETE FROM tree; DELETE FROM skipped');
        const insert = database.prepare('INSERT INTO skipped VALUES (?, ?, ?)');
        for (const { path, reason, detail } of skipped) insert.run(path, reason, detail ?? null);
        if (tree === undefined) return;
        runSql(database, 'INSERT INTO tree VALUES (?, ?)', tree.paths, tree.fingerprints);
      }),
    frontMatterFaults: async () =>
      queryRows<FrontMatterFault>(
        database,
        `SELECT path, facts ->> 'fault' AS why FROM documents
         WHERE facts LIKE '%"fault":%' AND why IS NOT NULL ORDER BY path`,
      ),
  } satisfies Partial<MemoryIndex>;
}

type SkipRow = Pick<SkippedFile, 'path' | 'reason'> & { readonly detail: string | null };

/** Counts documents and chunks, by source, and media. Excluded transcripts do not count. */
function countDocuments(database: Connection): DocumentCounts {
  const rows = queryRows<SourceRow>(
    database,
    `SELECT source, count(*) AS documents, sum(chunks) AS chunks, sum(broken) AS brokenLines
     FROM (
       SELECT source, (SELECT count(*) FROM chunks WHERE document_id = documents.id) AS chunks,
         coalesce(resume ->> 'brokenLines', 0) AS broken
       FROM documents WHERE resume IS NULL OR NOT resume ->> 'isExcluded'
     ) GROUP BY source ORDER BY source`,
  );
  return countsOf(rows, countMedia(database));
}

function countMedia(database: Connection): MediaCounts {
  const counts = queryRow<MediaCounts>(
    database,
    `SELECT coalesce(sum(mime_type LIKE 'image/%'), 0) AS images,
       coalesce(sum(mime_type LIKE 'audio/%'), 0) AS audio
     FROM documents WHERE kind = 'media'`,
  );
  return counts ?? { images: 0, audio: 0 };
}

function readSyncedMs(database: Connection): number | undefined {
  const written = readMeta(database, 'synced_ms') ?? '';
  return written === '' ? undefined : Number(written);
}

export function readMeta(database: Connection, key: string): string | undefined {
  return queryValue(database, 'SELECT value FROM meta WHERE key = ?', key);
}

export function writeMeta(database: Connection, key: string, value: string): void {
  runSql(database, 'INSERT OR REPLACE INTO meta VALUES (?, ?)', key, value);
}

/** Records whether there are media, and the languages of files, so that searches need not look for either. */
export function recordKinds(database: Connection): void {
  const any = queryRow(database, "SELECT 1 FROM documents WHERE kind = 'media' LIMIT 1");
  writeMeta(database, 'media', any === undefined ? '0' : '1');
  const codes = queryColumn<string>(
    database,
    'SELECT DISTINCT language FROM documents WHERE language IS NOT NULL',
  );
  writeMeta(database, 'languages', codes.sort().join(' '));
}
