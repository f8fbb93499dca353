import type { Connection } from '../../sqlite/database.js';
import type { DocumentKind, Source } from '../types.js';
import type { CandidateFilter } from './memory-index.js';

const SOURCES: readonly Source[] = ['memory', 'sessions'];

/** Whether the index holds nothing but these sources; a look-up in an index each. */
function hasNoOther(database: Connection, sources: readonly Source[]): boolean {
  const one = database
    .prepare<[Source], number>('SELECT 1 FROM documents WHERE source = ? LIMIT 1')
    .pluck();
  return SOURCES.every((source) => sources.includes(source) || one.get(source) === undefined);
}

/** JSON array of the ids of the documents that a filter keeps; undefined when it keeps all. */
export function matchingDocuments(
  database: Connection,
  { sources, path, kinds }: CandidateFilter = {},
): string | undefined {
  const everySource = sources === undefined || hasNoOther(database, sources);
  if (path === undefined && kinds === undefined && everySource) return undefined;
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
