import type { DocumentKind, Source } from '../types.js';
import type { Connection } from './database.js';
import type { StoredDocument } from './memory-index.js';

/** All documents of an index, without their chunks. */
export function storedDocuments(database: Connection): StoredDocument[] {
  const rows = database
    .prepare<[], [Source, string, DocumentKind, number, number, number, string, number]>(
      'SELECT source, path, kind, size, mtime_ms, ctime_ms, hash, indexed_ms FROM documents',
    )
    .raw()
    .all();
  return rows.map(([source, path, kind, size, mtimeMs, ctimeMs, hash, indexedMs]) => {
    return { source, path, kind, fingerprint: { size, mtimeMs, ctimeMs }, hash, indexedMs };
  });
}
