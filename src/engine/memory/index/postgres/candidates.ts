import { exactDouble, type Server, type Sql } from '../../../postgres/index.js';
import {
  type CandidateFilter,
  type FoundColumns,
  foundChunk,
  type IndexTerm,
  type LexicalCandidate,
  literalPattern,
  ranksOf,
  type VectorCandidate,
} from '../candidates.js';
import type { MemoryIndex } from '../memory-index.js';
import type { KeptChunks } from './document-filter.js';
import type { MemoryFacts } from './facts.js';
import type { KeywordReader } from './keyword-reader.js';
import { filterByIds, type ScoredChunks } from './match-expression.js';

/** A memory as one of its hosts searches it. */
export interface SearchedMemory {
  readonly sql: Server;
  readonly facts: MemoryFacts;
  readonly reader: KeywordReader;
}

/** A memory that is open, as one of its hosts uses it. */
export interface OpenMemory {
  readonly sql: Server;
  /** The name of the host among the origins. */
  readonly name: string;
  /** As they were read last. */
  readonly facts: MemoryFacts;
  /** As they are now. */
  current(): Promise<MemoryFacts>;
  /** The same, or as they were read to open it if nothing has asked since. */
  opened(): Promise<MemoryFacts>;
  searched(): Promise<SearchedMemory>;
  /** What a filter keeps; undefined for everything. */
  filtered(filter: CandidateFilter | undefined): Promise<KeptChunks | undefined>;
}

interface CandidateRow
  extends FoundColumns,
    Omit<LexicalCandidate, 'bm25' | 'headingPath' | 'lineNumbers' | 'mimeType' | 'origin'> {
  readonly origin: string | null;
  readonly rank: number;
}

/** Of one folder's dated notes, the newer first; undated ones count as new. */
const NEWER_FIRST = `CASE WHEN path ~ '[12][0-9]{3}-[0-9]{2}-[0-9]{2}' THEN path END DESC NULLS FIRST`;

/** A passage that several hosts have is found once: at this host, or at the first by name. */
const ONCE = `
  first_value(documents.origin) OVER (PARTITION BY chunks.hash ORDER BY documents.origin <> $2, origins.name)
    = documents.origin`;

const FOUND_COLUMNS =
  '"chunkId", source, path, origin, kind, "mimeType", "modifiedMs", language, "startLine", "endLine", headings, text, "lineNumbers"';

/**
 * Reads chunks once, by rank: `$1` is the memory, `$2` the own origin, `$3` how many.
 *
 * @param found their ids and ranks, as a table
 * @param ties columns to sort by after the rank, before path and line
 */
function selectFound(found: string, where = '', ties = ''): string {
  return `SELECT ${FOUND_COLUMNS}, rank FROM (
    SELECT chunks.id AS "chunkId", source, path, CASE WHEN documents.origin <> $2 THEN origins.name END AS origin,
      kind, mime_type AS "mimeType", ${exactDouble('mtime_ms')} AS "modifiedMs", language, start_line AS "startLine",
      end_line AS "endLine", headings, text, line_numbers AS "lineNumbers", first_day, found.rank, ${ONCE} AS is_first
    FROM ${found}
    JOIN svc.chunks ON chunks.memory = $1 AND chunks.id = found.id
    JOIN svc.documents ON documents.id = chunks.document
    JOIN svc.origins ON origins.id = documents.origin ${where}
  ) AS found WHERE is_first ORDER BY rank, ${ties} path, "startLine", "chunkId" LIMIT $3`;
}

/** Passages that several hosts have take up places, up to a point. */
const MOST_COPIES = 4;

const DATED = 'memory = $1 AND first_day <= $3 AND last_day >= $2';

/** The questions of searches by words. */
export function keywordQueries(memory: OpenMemory) {
  const { sql } = memory;
  return {
    lexicalCandidates: async (match, limit, filter) => {
      const searched = await memory.searched();
      const kept = await memory.filtered(filter);
      const { facts, reader } = searched;
      const scored = await reader.scores(match, kept?.ids);
      const best = bestOf(scored, limit * Math.min(MOST_COPIES, Math.max(1, facts.origins)));
      return candidatesOf(searched, best, limit, NEWER_FIRST);
    },
    literalCandidates: async (text, limit, filter) => {
      const searched = await memory.searched();
      const kept = await memory.filtered(filter);
      const containing =
        'SELECT id FROM svc.chunks WHERE memory = $1 AND text COLLATE "C" ILIKE $2';
      const values = [searched.facts.memory, literalPattern(text)];
      const found = await idsOf(sql, containing, values);
      const ids = found.filter((id) => kept?.ids.has(id) ?? true);
      const scores = Float64Array.from(ids, () => 1);
      return candidatesOf(searched, { ids, scores }, limit, NEWER_FIRST);
    },
    countDated: async ({ first, last }) => {
      const [row] = await sql.query<{ readonly count: number }>(
        `SELECT count(*) FROM svc.chunks WHERE ${DATED}`,
        [memory.facts.memory, first, last],
      );
      return row?.count ?? 0;
    },
    // By BM25, then the newest; ties by path and line.
    datedCandidates: async ({ days, match, mustMatch, except, limit, filter }) => {
      const searched = await memory.searched();
      const kept = await memory.filtered(filter);
      const { facts, reader } = searched;
      const dated = await idsOf(sql, `SELECT id FROM svc.chunks WHERE ${DATED} ORDER BY id`, [
        ...[facts.memory, days.first, days.last],
      ]);
      const [unwanted = new Int32Array()] = await reader.matching(
        except === undefined ? [] : [except],
      );
      const wanted = dated.filter((id) => kept?.ids.has(id) ?? true);
      const among = filterByIds(wanted, unwanted, false);
      const matched = match === undefined ? undefined : await reader.scores(match, new Set(among));
      const scoreOf = new Map(
        Array.from(matched?.ids ?? [], (id, at) => [id, matched?.scores[at] ?? 0]),
      );
      const ids = mustMatch ? among.filter((id) => scoreOf.has(id)) : among;
      const scores = Float64Array.from(ids, (id) => scoreOf.get(id) ?? 0);
      return candidatesOf(searched, { ids, scores }, limit, 'first_day DESC');
    },
    countMatches: async (match, filter) => {
      const { reader } = await memory.searched();
      const kept = await memory.filtered(filter);
      const [ids] = await reader.matching([match]);
      return ids?.filter((id) => kept?.ids.has(id) ?? true).length ?? 0;
    },
    termStatistics: async (matches) => {
      if (matches.length === 0) return { chunks: (await memory.current()).chunks, frequencies: [] };
      const { facts, reader } = await memory.searched();
      return { chunks: facts.chunks, frequencies: await reader.frequencies(matches) };
    },
    languages: async () => {
      const { languages } = await memory.current();
      return languages.length === 0 ? [] : (await import('../languages.js')).languagesOf(languages);
    },
    termsBetween: async (first, end) =>
      sql.query<IndexTerm>(
        `SELECT term, chunks FROM svc.terms
         WHERE memory = $1 AND term >= $2 AND term < $3 AND chunks > 0 ORDER BY term`,
        [memory.facts.memory, first, end],
      ),
    someTexts: async (matches, limit) => {
      const { facts, reader } = await memory.searched();
      const found = (await reader.matching(matches)).map((ids) => [...ids.subarray(0, limit)]);
      const ids = new Set(found.flat());
      if (ids.size === 0) return found.map(() => []);
      const rows = await sql.query<{ readonly id: number; readonly text: string }>(
        `SELECT id, headings || chr(10) || text AS text FROM svc.chunks
         WHERE memory = $1 AND id = ANY ($2)`,
        [facts.memory, [...ids]],
      );
      const texts = new Map(rows.map(({ id, text }) => [id, text]));
      return found.map((own) => own.flatMap((id) => texts.get(id) ?? []));
    },
    lexicalScores: async (match, chunkIds) => {
      const { reader } = await memory.searched();
      const { ids, scores } = await reader.scores(match, new Set(chunkIds));
      return new Map(Array.from(ids, (id, at) => [id, scores[at] ?? 0]));
    },
  } satisfies Partial<MemoryIndex>;
}

/** The best of some chunks, and ties with the last of them. */
function bestOf({ ids, scores }: ScoredChunks, count: number): ScoredChunks {
  if (ids.length <= count) return { ids, scores };
  const least = nthLargest(scores, count);
  const isBest = (_: number, at: number): boolean => (scores[at] ?? 0) >= least;
  return { ids: ids.filter(isBest), scores: scores.filter(isBest) };
}

/** Divides around a value until the wanted place is found: sorting all took a third of a search. */
function nthLargest(values: Float64Array, n: number): number {
  const numbers = values.slice();
  const at = (place: number): number => numbers[place] ?? 0;
  const wanted = numbers.length - n;
  for (let [from, to] = [0, numbers.length - 1]; from < to; ) {
    const pivot = at((from + to) >> 1);
    let [low, high] = [from, to];
    while (low <= high) {
      while (at(low) < pivot) low += 1;
      while (at(high) > pivot) high -= 1;
      if (low > high) break;
      [numbers[low], numbers[high]] = [at(high), at(low)];
      low += 1;
      high -= 1;
    }
    if (wanted <= high) to = high;
    else if (wanted >= low) from = low;
    else break;
  }
  return at(wanted);
}

/** The chunks of some ids by score. @param ties columns to sort by after it, before path and line */
async function candidatesOf(
  { sql, facts }: SearchedMemory,
  { ids, scores }: ScoredChunks,
  limit: number,
  ties: string,
): Promise<LexicalCandidate[]> {
  if (ids.length === 0) return [];
  const { ranks, scoreOf } = ranksOf(scores);
  const rows = await sql.query<CandidateRow>(
    selectFound('unnest($4::int[], $5::int[]) AS found (id, rank)', '', `${ties},`),
    [facts.memory, facts.origin, limit, [...ids], ranks],
  );
  return rows.map((row) => ({ ...toFound(row), bm25: scoreOf(row.rank) }));
}

/** The chunks of this memory that have some contents, the most similar first; ties by path and line. */
export async function candidatesOfContents(
  { sql, facts }: SearchedMemory,
  contents: readonly { readonly hash: Buffer; readonly similarity: number }[],
  limit: number,
  kept: KeptChunks | undefined,
): Promise<VectorCandidate[]> {
  if (contents.length === 0) return [];
  const { ranks, scoreOf } = ranksOf(contents.map(({ similarity }) => similarity));
  const rows = await sql.query<CandidateRow>(
    selectFound(
      `(SELECT id, rank FROM unnest($4::bytea[], $5::int[]) AS near (hash, rank)
        JOIN svc.chunks USING (hash) WHERE memory = $1) AS found`,
      'WHERE ($6::int4multirange IS NULL OR chunks.id <@ $6)',
    ),
    [
      ...[facts.memory, facts.origin, limit],
      ...[contents.map(({ hash }) => hash), ranks, kept?.ranges],
    ],
  );
  return rows.map((row) => ({ ...toFound(row), similarity: scoreOf(row.rank) }));
}

function toFound({ origin, rank: _, ...row }: CandidateRow) {
  return { ...foundChunk(row), ...(origin === null ? {} : { origin }) };
}

async function idsOf(sql: Sql, text: string, values: readonly unknown[]): Promise<Int32Array> {
  const rows = await sql.query<{ readonly id: number }>(text, values);
  return Int32Array.from(rows, ({ id }) => id);
}
