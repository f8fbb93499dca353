import type { Transaction } from '../../../postgres/index.js';
import { columnsOf } from '../../../support/lists.js';
import { type Run, runBytes } from './posting-bytes.js';

/** A larger run gets a row of its own at once. */
const LARGE_RUN = 900;
/** From this size on, the newest postings of a term become a row that no longer changes. */
const FULL = 1700;
/** Rows of one statement, to bound its memory. */
const ROWS = 20_000;

interface TermRow {
  readonly term: string;
  /** In how many of the chunks it is. */
  readonly chunks: number;
  readonly hits: Buffer;
  readonly places: Buffer;
}

/** Writes the postings and frequencies of the words of added chunks. @param firstChunk what the runs are relative to */
export async function addTerms(
  transaction: Transaction,
  memory: number,
  terms: ReadonlyMap<string, readonly Run[]>,
  firstChunk: number,
): Promise<void> {
  const { rows, parts } = rowsOf(terms, firstChunk);
  await Promise.all([
    ...inParts(rows, ROWS).map((batch) =>
      transaction.run(
        `INSERT INTO svc.terms AS known (memory, term, chunks, hits, places)
         SELECT $1, * FROM unnest($2::text[], $3::int[], $4::bytea[], $5::bytea[])
         ON CONFLICT (memory, term) DO UPDATE SET chunks = known.chunks + excluded.chunks,
           hits = known.hits || excluded.hits, places = known.places || excluded.places`,
        [memory, ...columnsOf(batch, 'term', 'chunks', 'hits', 'places')],
      ),
    ),
    ...inParts(parts, ROWS).map((batch) =>
      transaction.run(
        `INSERT INTO svc.postings (memory, term, part, hits, places)
         SELECT $1, * FROM unnest($2::text[], $3::int[], $4::bytea[], $5::bytea[])`,
        [memory, ...columnsOf(batch, 'term', 'part', 'hits', 'places')],
      ),
    ),
    moveFull(transaction, memory, rows, firstChunk),
  ]);
}

function inParts<T>(list: readonly T[], size: number): readonly T[][] {
  const parts: T[][] = [];
  for (let from = 0; from < list.length; from += size) parts.push(list.slice(from, from + size));
  return parts;
}

function rowsOf(terms: ReadonlyMap<string, readonly Run[]>, firstChunk: number) {
  const rows: TermRow[] = [];
  const parts: (Omit<TermRow, 'chunks'> & { readonly part: number })[] = [];
  for (const [term, runs] of terms) {
    const [hits, places]: [Buffer[], Buffer[]] = [[], []];
    let chunks = 0;
    for (const run of runs) {
      chunks += run.count;
      const bytes = runBytes(run, firstChunk);
      if (bytes.length + run.places.length > LARGE_RUN) {
        parts.push({ term, part: firstChunk + run.first, hits: bytes, places: run.places });
      } else {
        hits.push(bytes);
        places.push(run.places);
      }
    }
    rows.push({ term, chunks, hits: Buffer.concat(hits), places: Buffer.concat(places) });
  }
  return { rows: rows.sort((a, b) => (a.term < b.term ? -1 : 1)), parts };
}

/** Moves the newest postings of terms that have many to a row of their own. */
async function moveFull(
  transaction: Transaction,
  memory: number,
  rows: readonly TermRow[],
  firstChunk: number,
): Promise<void> {
  const grown = rows.flatMap(({ term, hits }) => (hits.length > 0 ? [term] : []));
  if (grown.length === 0) return;
  // Negative, because a part of this change set may begin with the same chunk.
  await transaction.run(
    `WITH large AS (
       SELECT term, hits, places FROM svc.terms WHERE memory = $1 AND term = ANY ($2)
         AND octet_length(hits) + octet_length(places) > ${FULL}
     ), moved AS (
       INSERT INTO svc.postings SELECT $1, term, -$3::int, hits, places FROM large
     )
     UPDATE svc.terms SET hits = '', places = '' FROM large
     WHERE terms.memory = $1 AND terms.term = large.term`,
    [memory, grown, firstChunk],
  );
}

/**
 * Lowers the frequencies of terms; nothing is left of one that no chunk has any more.
 *
 * @param removed in how many of the deleted chunks each is
 */
export async function removeTerms(
  transaction: Transaction,
  memory: number,
  removed: ReadonlyMap<string, number>,
): Promise<void> {
  const terms = [...removed.keys()];
  await Promise.all([
    transaction.run(
      `UPDATE svc.terms SET chunks = terms.chunks - gone.chunks
       FROM unnest($2::text[], $3::int[]) AS gone (term, chunks)
       WHERE memory = $1 AND terms.term = gone.term`,
      [memory, terms, [...removed.values()]],
    ),
    transaction.run(
      `WITH unused AS (
         DELETE FROM svc.terms WHERE memory = $1 AND term = ANY ($2) AND chunks <= 0 RETURNING term
       )
       DELETE FROM svc.postings WHERE memory = $1 AND term IN (SELECT term FROM unused)`,
      [memory, terms],
    ),
  ]);
}
