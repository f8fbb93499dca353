import type { DocumentKind, Source } from '../types.js';
import type { Connection } from './database.js';
import type { CandidateFilter } from './memory-index.js';

/** JSON array of the ids of the documents that a filter keeps; undefined when it keeps all. */
export function matchingDocuments(
  database: Connection,
  { sources, path, kinds }: CandidateFilter = {},
): string | undefined {
  if (sources === undefined && path === undefined && kinds === undefined) return undefined;
  const rows = database
    .prepare<[], { id: number; source: Source; path: string; kind: DocumentKind }>(
      'SELECT id, source, path, kind FROM documents',
    )
    .all();
  const kept = rows.filter(
    (row) =>
      (kinds === undefined || kinds.includes(row.kind)) &&
      (sources === undefined || sources.includes(row.source)) &&
      (path === undefined || path(row.path)),
  );
  return JSON.stringify(kept.map((row) => row.id));
}
