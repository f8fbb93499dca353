import type { Connection } from '../../sqlite/database.js';
import type { Source } from '../types.js';
import { matchingDocuments } from './document-filter.js';
import { headingPathOf } from './lexical-text.js';
import { lineNumbersOf } from './line-numbers.js';
import type { CandidateFilter, LexicalCandidate } from './memory-index.js';

/** BM25 weights of the full-text columns: text, heading path, file name. */
const COLUMN_WEIGHTS = '1.0, 1.5, 1.0';

interface CandidateRow {
  readonly chunkId: number;
  readonly source: Source;
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
  readonly headingPath: string;
  readonly text: string;
  readonly lineNumbers: string | null;
  readonly bm25: number;
}

/** The best chunks for a full-text expression, best first; ties by path and line. */
export function lexicalCandidates(
  database: Connection,
  match: string,
  limit: number,
  filter?: CandidateFilter,
): LexicalCandidate[] {
  const documents = matchingDocuments(database, filter);
  const named = { match, ...(documents === undefined ? {} : { documents }) };
  const find = (bound: string, values: Record<string, number>): CandidateRow[] =>
    database
      .prepare<[Record<string, unknown>], CandidateRow>(
        `${SELECT_CANDIDATE}, -found.rank AS bm25
         FROM (
           SELECT rowid, rank FROM chunks_fts
           WHERE chunks_fts MATCH @match AND rank MATCH 'bm25(${COLUMN_WEIGHTS})'
             ${restrictRows(documents)} ${bound}
         ) AS found
         JOIN chunks ON chunks.id = found.rowid
         JOIN documents ON documents.id = chunks.document_id
         ORDER BY found.rank, documents.path, chunks.start_line, chunks.id`,
      )
      .all({ ...named, ...values });
  const rows = find('ORDER BY rank LIMIT @rows', { rows: limit + 1 });
  const last = rows[limit - 1]?.bm25;
  // Which of several equal chunks come under the limit is for their paths to say, not for the
  // order in which they were written.
  const isTied = last !== undefined && rows[limit]?.bm25 === last;
  const best = isTied ? find('AND rank <= @worst', { worst: -last }) : rows;
  return best.slice(0, limit).map(toCandidate);
}

/** Chunks that contain a text as it stands, ASCII case ignored, by path and line. */
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
       ORDER BY documents.path, chunks.start_line, chunks.id LIMIT @limit`,
    )
    .all({
      pattern: `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`,
      limit,
      ...(documents === undefined ? {} : { documents }),
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
  return count.get({ match, ...(documents === undefined ? {} : { documents }) }) ?? 0;
}

/** BM25 of given chunks under an expression; those it does not match are absent. */
export function lexicalScores(
  database: Connection,
  match: string,
  chunkIds: readonly number[],
): Map<number, number> {
  const rows = database
    .prepare<[string, string], [number, number]>(
      `SELECT rowid, -rank FROM chunks_fts
       WHERE chunks_fts MATCH ? AND rank MATCH 'bm25(${COLUMN_WEIGHTS})'
         AND rowid IN (SELECT value FROM json_each(?))`,
    )
    .raw()
    .all(match, JSON.stringify(chunkIds));
  return new Map(rows);
}

const SELECT_CANDIDATE = `
  SELECT chunks.id AS chunkId, documents.source, documents.path, chunks.start_line AS startLine,
    chunks.end_line AS endLine, chunks.heading_path AS headingPath, chunks.text,
    chunks.line_numbers AS lineNumbers`;

/** SQL that keeps the full-text rows of the documents in `@documents`, a JSON array of ids. */
function restrictRows(documents: string | undefined): string {
  if (documents === undefined) return '';
  return `AND rowid IN (SELECT id FROM chunks WHERE document_id IN
    (SELECT value FROM json_each(@documents)))`;
}

function toCandidate(row: CandidateRow): LexicalCandidate {
  const { headingPath, lineNumbers } = row;
  return {
    ...row,
    headingPath: headingPathOf(headingPath),
    lineNumbers: lineNumbersOf(lineNumbers),
  };
}
