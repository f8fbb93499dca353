import type { Connection } from '../../../sqlite/database.js';
import { queryColumn, queryRows, queryValue } from '../../../sqlite/query.js';
import { letOthersRun } from '../../../support/async.js';
import { SOURCES, type Source } from '../../types.js';
import {
  type CandidateFilter,
  type ChunkRow,
  type DocumentRow,
  type FoundColumns,
  filterChunkIds,
  filterRows,
  foundChunk,
  type IndexTerm,
  type LexicalCandidate,
  likePattern,
  literalPattern,
} from '../candidates.js';
import { COLUMN_WEIGHTS } from '../lexical-text.js';
import type { MemoryIndex } from '../memory-index.js';
import { readMeta } from './read-documents.js';

/** For `bm25()`. */
const WEIGHTS = Object.values(COLUMN_WEIGHTS).join(', ');

export type CandidateRow = FoundColumns &
  Omit<LexicalCandidate, 'headingPath' | 'lineNumbers' | 'mimeType'>;

/** What filters keep; see {@link applyFilter}. */
export type Filtered = (filter: CandidateFilter | undefined) => FilterResult | undefined;

/**
 * The questions of searches by words. SQLite blocks the process for as long as a statement runs, so those that read many
 * chunks yield to the event loop first.
 */
export function keywordQueries(database: Connection, filtered: Filtered) {
  const countMatches = async (match: string, filter?: CandidateFilter): Promise<number> => {
    await letOthersRun();
    const kept = filtered(filter);
    const sql = `SELECT count(*) FROM chunks_fts WHERE chunks_fts MATCH @match ${restrictRows(kept)}`;
    return queryValue<number>(database, sql, { match, kept: kept?.ids }) ?? 0;
  };
  return {
    countMatches,
    lexicalCandidates: async (match, limit, filter, essential) => {
      await letOthersRun();
      const kept = filtered(filter);
      if (essential !== undefined) {
        const found = await bestCandidates(
          database,
          { match, within: essential.match, kept },
          limit,
        );
        if ((found[limit - 1]?.bm25 ?? 0) > essential.scoreWithout) return found;
        await letOthersRun();
      }
      return bestCandidates(database, { match, kept }, limit);
    },
    literalCandidates: async (text, limit, filter) => {
      await letOthersRun();
      const kept = filtered(filter);
      const rows = queryRows<CandidateRow>(
        database,
        `${SELECT_CANDIDATE}, 1.0 AS bm25
         FROM chunks JOIN documents ON documents.id = chunks.document_id
         WHERE chunks.text LIKE @pattern ESCAPE '\\' ${restrictChunks(kept)}
         ORDER BY ${NEWER_FIRST}, documents.path, chunks.start_line, chunks.id LIMIT @limit`,
        { pattern: literalPattern(text), limit, kept: kept?.ids },
      );
      return rows.map(foundChunk);
    },
    countDated: async ({ first, last }) => {
      const sql = `SELECT count(*) FROM chunks WHERE ${DATED}`;
      return queryValue<number>(database, sql, { first, last }) ?? 0;
    },
    /** By BM25, then the newest; ties by path and line. */
    datedCandidates: async ({ days, match, mustMatch, except, limit, filter }) => {
      await letOthersRun();
      const kept = filtered(filter);
      // Materialized: in the join, the words would be searched again for each chunk of these days.
      const scores = `WITH scores AS MATERIALIZED (
        SELECT rowid, -bm25(chunks_fts, ${WEIGHTS}) AS bm25 FROM chunks_fts
        WHERE chunks_fts MATCH @match AND +rowid IN (SELECT id FROM chunks WHERE ${DATED}))`;
      const scored =
        match === undefined
          ? { scores: '', column: '0.0', join: '' }
          : {
              scores,
              column: 'coalesce(scores.bm25, 0.0)',
              join: `${mustMatch ? '' : 'LEFT'} JOIN scores ON scores.rowid = dated.id`,
            };
      // Only the texts of the best are read: a third of the time where the days are a year.
      const rows = queryRows<CandidateRow>(
        database,
        `${scored.scores} ${SELECT_CANDIDATE}, best.bm25 AS bm25
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
    },
    termStatistics: async (matches) => {
      const chunks = Number(readMeta(database, 'chunks') ?? 0);
      const frequencies: number[] = [];
      for (const match of matches) frequencies.push(await countMatches(match));
      return { chunks, frequencies };
    },
    languages: async () => {
      const codes = (readMeta(database, 'languages') ?? '')
        .split(' ')
        .filter((code) => code !== '');
      return codes.length === 0 ? [] : (await import('../languages.js')).languagesOf(codes);
    },
    // Reads the entries of each term, so a range should be a small part of the index.
    termsBetween: async (first, end) => {
      await letOthersRun();
      // A temporary table is possible on a database that is opened for reading.
      database.exec(
        "CREATE VIRTUAL TABLE IF NOT EXISTS temp.terms USING fts5vocab (main, chunks_fts, 'row')",
      );
      const sql = 'SELECT term, doc AS chunks FROM temp.terms WHERE term >= ? AND term < ?';
      return queryRows<IndexTerm>(database, sql, first, end);
    },
    someTexts: async (matches, limit) => {
      const texts: (readonly string[])[] = [];
      for (const match of matches) {
        await letOthersRun();
        texts.push(
          queryColumn<string>(
            database,
            `SELECT chunks.heading_path || char(10) || chunks.text
             FROM (SELECT rowid FROM chunks_fts WHERE chunks_fts MATCH ? LIMIT ?) AS found
             JOIN chunks ON chunks.id = found.rowid`,
            match,
            limit,
          ),
        );
      }
      return texts;
    },
    lexicalScores: async (match, chunkIds) => {
      const rows = database
        .prepare<[string, string], [number, number]>(
          `SELECT rowid, -rank FROM chunks_fts
           WHERE chunks_fts MATCH ? AND rank MATCH 'bm25(${WEIGHTS})'
             AND +rowid IN (SELECT value FROM json_each(?))`,
        )
        .raw()
        .all(match, JSON.stringify(chunkIds));
      return new Map(rows);
    },
  } satisfies Partial<MemoryIndex>;
}

interface Scoring {
  readonly match: string;
  /** Only chunks that match this as well are scored. */
  readonly within?: string;
  readonly kept: FilterResult | undefined;
}

async function bestCandidates(
  database: Connection,
  { match, within, kept }: Scoring,
  limit: number,
): Promise<LexicalCandidate[]> {
  const named = { match, within, kept: kept?.ids };
  const isWithin =
    within === undefined
      ? ''
      : 'AND +rowid IN (SELECT rowid FROM chunks_fts WHERE chunks_fts MATCH @within)';
  // Only the rows that are left are scored; the column `rank` would score all rows first.
  const { score, ranking } =
    kept === undefined && within === undefined
      ? { score: 'rank', ranking: `AND rank MATCH 'bm25(${WEIGHTS})'` }
      : { score: `bm25(chunks_fts, ${WEIGHTS})`, ranking: '' };
  const find = (bound: string, values: Record<string, number>): CandidateRow[] =>
    queryRows(
      database,
      `${SELECT_CANDIDATE}, -found.score AS bm25
       FROM (
         SELECT rowid, ${score} AS score FROM chunks_fts
         WHERE chunks_fts MATCH @match ${ranking} ${isWithin} ${restrictRows(kept)} ${bound}
       ) AS found
       JOIN chunks ON chunks.id = found.rowid
       JOIN documents ON documents.id = chunks.document_id
       ORDER BY found.score, ${NEWER_FIRST}, documents.path, chunks.start_line, chunks.id`,
      { ...named, ...values },
    );
  const rows = find(`ORDER BY ${score} LIMIT @rows`, { rows: limit + 1 });
  const last = rows[limit - 1]?.bm25;
  // Ties at the limit are broken by date and path, not by the order in which rows were written.
  const isTied = last !== undefined && rows[limit]?.bm25 === last;
  if (isTied) await letOthersRun();
  const best = isTied ? find(`AND ${score} <= @worst`, { worst: -last }) : rows;
  return best.slice(0, limit).map(foundChunk);
}

const DATED = 'first_day <= @last AND last_day >= @first';

/** Of one folder's dated notes, the newer first; undated ones count as new. */
const NEWER_FIRST = `
  CASE WHEN documents.path GLOB '*[12][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*' THEN documents.path END
    DESC NULLS FIRST`;

export const SELECT_CANDIDATE = `
  SELECT chunks.id AS chunkId, documents.source, documents.path, documents.kind, documents.mime_type AS mimeType,
    documents.mtime_ms AS modifiedMs, documents.language, chunks.start_line AS startLine,
    chunks.end_line AS endLine, chunks.heading_path AS headings, chunks.text,
    chunks.line_numbers AS lineNumbers`;

/** What a filter keeps, as a JSON array of ids. */
export interface FilterResult {
  readonly by: 'chunk' | 'document';
  readonly ids: string;
}

/**
 * SQL that restricts full-text rows to the ids in `@kept`. The unary plus filters the rows of one run; without it
 * FTS5 would evaluate the whole expression for every row.
 */
function restrictRows(kept: FilterResult | undefined): string {
  if (kept === undefined) return '';
  const ids = '(SELECT value FROM json_each(@kept))';
  return kept.by === 'chunk'
    ? `AND +rowid IN ${ids}`
    : `AND +rowid IN (SELECT id FROM chunks WHERE document_id IN ${ids})`;
}

/** SQL that restricts chunks that are joined with their documents. */
export function restrictChunks(kept: FilterResult | undefined, chunks = 'chunks'): string {
  if (kept === undefined) return '';
  const column = kept.by === 'chunk' ? `${chunks}.id` : 'documents.id';
  return `AND ${column} IN (SELECT value FROM json_each(@kept))`;
}

/** Whether anything of a source is indexed; one index lookup. */
export function hasDocuments(database: Connection, source: Source): boolean {
  const sql = 'SELECT 1 FROM documents WHERE source = ? LIMIT 1';
  return queryValue(database, sql, source) !== undefined;
}

/** Whether the index contains only these sources. */
function hasNoOther(database: Connection, sources: readonly Source[]): boolean {
  return SOURCES.every((source) => sources.includes(source) || !hasDocuments(database, source));
}

/** What a filter keeps; undefined when it keeps everything. */
export function applyFilter(
  database: Connection,
  filter: CandidateFilter,
): FilterResult | undefined {
  const { sources, path, kinds, document } = filter;
  const everySource = sources === undefined || hasNoOther(database, sources);
  const isAll = path === undefined && kinds === undefined && document === undefined && everySource;
  if (isAll) return undefined;
  const facts = document === undefined ? 'NULL' : 'facts';
  const all = queryRows<DocumentRow>(
    database,
    `SELECT id, source, path, kind, mtime_ms AS modifiedMs, ${facts} AS facts FROM documents`,
  );
  const { rows, byChunk } = filterRows(all, filter);
  if (!byChunk && rows.length === all.length) return undefined;
  const ids = JSON.stringify(rows.map((row) => row.id));
  if (!byChunk) return { by: 'document', ids };
  return { by: 'chunk', ids: JSON.stringify(filterChunks(database, rows, ids, filter)) };
}

function filterChunks(
  database: Connection,
  rows: readonly DocumentRow[],
  documents: string,
  filter: CandidateFilter,
): readonly number[] {
  const text = filter.contains === undefined ? `''` : 'text';
  const containing =
    filter.contains === undefined
      ? ''
      : `AND heading_path || char(10) || text LIKE @like ESCAPE '\\'`;
  const statement = database.prepare<object, ChunkRow>(
    `SELECT id, document_id AS document, start_line AS startLine, heading_path AS headings, ${text} AS text,
       first_day AS first, last_day AS last
     FROM chunks
     WHERE document_id IN (SELECT value FROM json_each(@documents)) ${containing}`,
  );
  // Neither sorted nor kept: these can be the texts of the whole index.
  const chunks = statement.iterate({ documents, like: likePattern(filter.contains) });
  return filterChunkIds(chunks, rows, filter);
}
