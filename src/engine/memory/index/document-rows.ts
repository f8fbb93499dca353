import type { DocumentKind, Source } from '../types.js';
import type { Connection } from './database.js';
import type { IndexStatistics, StoredDocument } from './memory-index.js';

type DocumentRow = [
  Source,
  string,
  DocumentKind,
  number,
  number,
  number,
  string,
  number,
  string | null,
];
interface SourceRow {
  readonly source: Source;
  readonly documents: number;
  readonly chunks: number;
  readonly brokenLines: number;
}
/** What an index knows of its documents, without their chunks. */
export function storedDocuments(database: Connection): StoredDocument[] {
  const rows = database
    .prepare<[], DocumentRow>(
      `SELECT source, path, kind, size, mtime_ms, ctime_ms, hash, indexed_ms, resume
       FROM documents`,
    )
    .raw()
    .all();
  return rows.map(([source, path, kind, size, mtimeMs, ctimeMs, hash, indexedMs, resume]) => {
    const document = { source, path, kind, fingerprint: { size, mtimeMs, ctimeMs }, hash };
    return { ...document, indexedMs, ...(resume === null ? {} : { resume }) };
  });
}

/** Documents and chunks of each source; transcripts that are left out as a whole do not count. */
export function countBySource(database: Connection): IndexStatistics['bySource'] {
  return database
    .prepare<[], SourceRow>(
      `SELECT source, count(*) AS documents, sum(chunks) AS chunks, sum(broken) AS brokenLines
       FROM (
         SELECT source, (SELECT count(*) FROM chunks WHERE document_id = documents.id) AS chunks,
           coalesce(resume ->> 'brokenLines', 0) AS broken
         FROM documents WHERE resume IS NULL OR NOT resume ->> 'isExcluded'
       ) GROUP BY source ORDER BY source`,
    )
    .all()
    .map(({ brokenLines, ...row }) => (brokenLines > 0 ? { ...row, brokenLines } : row));
}
