import type { Connection } from '../../../sqlite/database.js';
import { queryRows, queryValue } from '../../../sqlite/query.js';
import type { DayRange } from '../../../support/day.js';
import { type DatedQuestion, foundChunk, type LexicalCandidate } from '../candidates.js';
import {
  type CandidateRow,
  type FilterResult,
  restrictChunks,
  SELECT_CANDIDATE,
  WEIGHTS,
} from './lexical-candidates.js';

const DATED = 'first_day <= @last AND last_day >= @first';

/** How many chunks are dated to one of the days. */
export function countDated(database: Connection, { first, last }: DayRange): number {
  const sql = `SELECT count(*) FROM chunks WHERE ${DATED}`;
  return queryValue<number>(database, sql, { first, last }) ?? 0;
}

/** The chunks of some days: by BM25, then the newest; ties by path and line. */
export function datedCandidates(
  database: Connection,
  { days, match, mustMatch, except, limit }: DatedQuestion,
  kept: FilterResult | undefined,
): LexicalCandidate[] {
  const scores = `SELECT rowid, -bm25(chunks_fts, ${WEIGHTS}) AS bm25 FROM chunks_fts
    WHERE chunks_fts MATCH @match AND +rowid IN (SELECT id FROM chunks WHERE ${DATED})`;
  const scored =
    match === undefined
      ? { column: '0.0', join: '' }
      : {
          column: 'coalesce(scores.bm25, 0.0)',
          join: `${mustMatch ? '' : 'LEFT'} JOIN (${scores}) AS scores ON scores.rowid = dated.id`,
        };
  // Only the texts of the best are read: a third of the time where the days are a year.
  const rows = queryRows<CandidateRow>(
    database,
    `${SELECT_CANDIDATE}, best.bm25 AS bm25
     FROM (
       SELECT dated.id, ${scored.column} AS bm25
       FROM chunks AS dated JOIN documents ON documents.id = dated.document_id ${scored.join}
       WHERE ${DATED} ${restrictChunks(kept, 'dated')}
         ${except === undefined ? '' : 'AND dated.id NOT IN (SELECT rowid FROM chunks_fts WHERE chunks_fts MATCH @except)'}
       ORDER BY bm25 DESC, dated.first_day DESC, documents.path, dated.start_line, dated.id
       LIMIT @limit
     ) AS best
     JOIN chunks ON chunks.id = best.id
     JOIN documents ON documents.id = chunks.document_id
     ORDER BY best.bm25 DESC, chunks.first_day DESC, documents.path, chunks.start_line, chunks.id`,
    { ...days, match, except, kept: kept?.ids, limit },
  );
  return rows.map(foundChunk);
}
