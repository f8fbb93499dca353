import { setImmediate as othersTurn } from 'node:timers/promises';
import type { Connection } from '../../../sqlite/database.js';
import type { DocumentKind, Source } from '../../types.js';
import type { CandidateFilter, LexicalCandidate } from '../candidates.js';
import { COLUMN_WEIGHTS, headingPathOf, lineNumbersOf } from '../lexical-text.js';

/** For `bm25()`. */
export const WEIGHTS = Object.values(COLUMN_WEIGHTS).join(', ');

export type CandidateRow = Omit<LexicalCandidate, 'headingPath' | 'lineNumbers'> & {
  readonly headingPath: string;
  readonly lineNumbers: string | null;
};

/** The best chunks for a full-text expression, best first; of ties, the newer dated note, then by path and line. */
export async function lexicalCandidates(
  database: Connection,
  match: string,
  limit: number,
  filter?: CandidateFilter,
): Promise<LexicalCandidate[]> {
  const documents = matchingDocuments(database, filter);
  const named = { match, documents };
  // With a document filter, only matching rows are scored; the column `rank` would score all rows first.
  const { score, ranking } =
    documents === undefined
      ? { score: 'rank', ranking: `AND rank MATCH 'bm25(${WEIGHTS})'` }
      : { score: `bm25(chunks_fts, ${WEIGHTS})`, ranking: '' };
  const find = (bound: string, values: Record<string, number>): CandidateRow[] =>
    database
      .prepare<[Record<string, unknown>], CandidateRow>(
        `${SELECT_CANDIDATE}, -found.score AS bm25
         FROM (
           SELECT rowid, ${score} AS score FROM chunks_fts
           WHERE chunks_fts MATCH @match ${ranking} ${restrictRows(documents)} ${bound}
         ) AS found
         JOIN chunks ON chunks.id = found.rowid
         JOIN documents ON documents.id = chunks.document_id
         ORDER BY found.score, ${NEWER_FIRST}, documents.path, chunks.start_line, chunks.id`,
      )
      .all({ ...named, ...values });
  const rows = find(`ORDER BY ${score} LIMIT @rows`, { rows: limit + 1 });
  const last = rows[limit - 1]?.bm25;
  // Ties at the limit are broken by date and path, not by the order in which rows were written.
  const isTied = last !== undefined && rows[limit]?.bm25 === last;
  if (isTied) await othersTurn();
  const best = isTied ? find(`AND ${score} <= @worst`, { worst: -last }) : rows;
  return best.slice(0, limit).map(toCandidate);
}

/** Chunks that contain a text verbatim, ASCII case ignored, the newer dated note first, then by path and line. */
export function literalCandidates(
  database: Connection,
  text: string,
  limit: number,
  filter?: CandidateFilter,
): LexicalCandidate[] {
  const documents = matchingDocuments(database, filter);
  const restriction =
    documents === undefined ? '' : 'AND documents.id IN (SELECT value FROM json_each(@documents))';
  const rows = database
    .prepare<[Record<string, unknown>], CandidateRow>(
      `${SELECT_CANDIDATE}, 1.0 AS bm25
       FROM chunks JOIN documents ON documents.id = chunks.document_id
       WHERE chunks.text LIKE @pattern ESCAPE '\\' ${restriction}
       ORDER BY ${NEWER_FIRST}, documents.path, chunks.start_line, chunks.id LIMIT @limit`,
    )
    .all({
      pattern: `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`,
      limit,
      documents,
    });
  return rows.map(toCandidate);
}

/** How many chunks a full-text expression matches. */
export function countMatches(
  database: Connection,
  match: string,
  filter?: CandidateFilter,
): number {
  const documents = matchingDocuments(database, filter);
  const count = database
    .prepare<[Record<string, unknown>], number>(
      `SELECT count(*) FROM chunks_fts WHERE chunks_fts MATCH @match ${restrictRows(documents)}`,
    )
    .pluck();
  return count.get({ match, documents }) ?? 0;
}

/** BM25 of given chunks under an expression; chunks that do not match are absent. */
export function lexicalScores(
  database: Connection,
  match: string,
  chunkIds: readonly number[],
): Map<number, number> {
  const rows = database
    .prepare<[string, string], [number, number]>(
      `SELECT rowid, -rank FROM chunks_fts
       WHERE chunks_fts MATCH ? AND rank MATCH 'bm25(${WEIGHTS})'
         AND +rowid IN (SELECT value FROM json_each(?))`,
    )
    .raw()
    .all(match, JSON.stringify(chunkIds));
  return new Map(rows);
}

/** Of one folder's dated notes, the newer first; undated ones count as new. */
const NEWER_FIRST = `
  CASE WHEN documents.path GLOB '*[12][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*' THEN documents.path END
    DESC NULLS FIRST`;

export const SELECT_CANDIDATE = `
  SELECT chunks.id AS chunkId, documents.source, documents.path, documents.language, chunks.start_line AS startLine,
    chunks.end_line AS endLine, chunks.heading_path AS headingPath, chunks.text,
    chunks.line_numbers AS lineNumbers`;

/**
 * SQL that restricts full-text rows to the documents in `@documents`, a JSON array of ids. The unary plus
 * filters the rows of one run; without it FTS5 would evaluate the whole expression for every row.
 */
function restrictRows(documents: string | undefined): string {
  if (documents === undefined) return '';
  return `AND +rowid IN (SELECT id FROM chunks WHERE document_id IN
    (SELECT value FROM json_each(@documents)))`;
}

export function toCandidate(row: CandidateRow): LexicalCandidate {
  const { headingPath, lineNumbers } = row;
  return {
    ...row,
    headingPath: headingPathOf(headingPath),
    lineNumbers: lineNumbersOf(lineNumbers),
  };
}

const SOURCES: readonly Source[] = ['memory', 'sessions'];

/** Whether the index contains only these sources; one index lookup each. */
function hasNoOther(database: Connection, sources: readonly Source[]): boolean {
  const one = database
    .prepare<[Source], number>('SELECT 1 FROM documents WHERE source = ? LIMIT 1')
    .pluck();
  return SOURCES.every((source) => sources.includes(source) || one.get(source) === undefined);
}

/** JSON array of the ids of matching documents; undefined when all match. */
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
