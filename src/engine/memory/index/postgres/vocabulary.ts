import type { Sql } from '../../../postgres/index.js';
import type { IndexTerm } from '../candidates.js';
import type { Searched } from './candidates.js';

/** The terms from `first` up to, but not including, `end`, in the order of their code points. */
export async function termsBetween(
  sql: Sql,
  memory: number,
  first: string,
  end: string,
): Promise<IndexTerm[]> {
  return sql.query(
    `SELECT term, chunks FROM svc.terms
     WHERE memory = $1 AND term >= $2 AND term < $3 AND chunks > 0 ORDER BY term`,
    [memory, first, end],
  );
}

/** The texts of some chunks that match a full-text expression, with their headings; the first ones in the memory. */
export async function someTexts(
  { sql, facts, reader }: Searched,
  match: string,
  limit: number,
): Promise<string[]> {
  const ids = (await reader.matching(match)).subarray(0, limit);
  if (ids.length === 0) return [];
  const rows = await sql.query<{ readonly text: string }>(
    `SELECT headings || chr(10) || text AS text FROM svc.chunks
     WHERE memory = $1 AND id = ANY ($2) ORDER BY id`,
    [facts.id, [...ids]],
  );
  return rows.map(({ text }) => text);
}
