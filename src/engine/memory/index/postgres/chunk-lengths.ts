import type { Sql, Transaction } from '../../../postgres/index.js';
import { columnsOf, groupBy } from '../../../support/lists.js';

/** How many chunks a row of `chunk_lengths` has. Ids begin with 1. */
const PAGE = 512;
const BYTES = 2;

/** Appends the lengths of chunks with consecutive ids. */
export async function appendLengths(
  transaction: Transaction,
  memory: number,
  firstChunk: number,
  lengths: readonly number[],
): Promise<void> {
  const pages = groupBy(lengths.entries(), ([at]) => Math.floor((firstChunk + at - 1) / PAGE));
  await transaction.run(
    `INSERT INTO svc.chunk_lengths AS known (memory, page, lengths)
     SELECT $1, * FROM unnest($2::int[], $3::bytea[])
     ON CONFLICT (memory, page) DO UPDATE SET lengths = known.lengths || excluded.lengths`,
    [
      memory,
      [...pages.keys()],
      [...pages.values()].map((page) => bytesOf(page.map(([, length]) => length))),
    ],
  );
}

/** Sets the lengths of deleted chunks to 0, and counts these as deleted. */
export async function clearLengths(
  transaction: Transaction,
  memory: number,
  ids: readonly number[],
): Promise<void> {
  const wanted = [...new Set(ids.map((id) => Math.floor((id - 1) / PAGE)))];
  const pages = await transaction.query<LengthPage>(
    'SELECT page, lengths FROM svc.chunk_lengths WHERE memory = $1 AND page = ANY ($2)',
    [memory, wanted],
  );
  const byNumber = new Map(pages.map(({ page, lengths }) => [page, lengths]));
  let sum = 0;
  for (const id of ids) {
    const slot = id - 1;
    const lengths = byNumber.get(Math.floor(slot / PAGE));
    if (lengths === undefined) continue;
    sum += lengths.readUInt16LE((slot % PAGE) * BYTES);
    lengths.writeUInt16LE(0, (slot % PAGE) * BYTES);
  }
  await Promise.all([
    transaction.run(
      `UPDATE svc.chunk_lengths SET lengths = changed.lengths
       FROM unnest($2::int[], $3::bytea[]) AS changed (page, lengths)
       WHERE chunk_lengths.memory = $1 AND chunk_lengths.page = changed.page`,
      [memory, ...columnsOf(pages, 'page', 'lengths')],
    ),
    transaction.run(
      `UPDATE svc.memories SET chunks = chunks - $2, words = words - $3, dead_chunks = dead_chunks + $2
       WHERE id = $1`,
      [memory, ids.length, sum],
    ),
  ]);
}

/** A row of `chunk_lengths`. */
export interface LengthPage {
  readonly page: number;
  readonly lengths: Buffer;
}

/** The chunks of a memory that are deleted by now, and how many of them are in the postings at most. */
export async function deletedChunks(sql: Sql, memory: number) {
  const pages = await sql.query<LengthPage & { readonly next: number; readonly dead: number }>(
    `SELECT page, lengths, next_chunk AS next, dead_chunks AS dead
     FROM svc.memories JOIN svc.chunk_lengths ON memory = memories.id WHERE memories.id = $1`,
    [memory],
  );
  const lengths = lengthsOf(pages);
  const { next = 0, dead = 0 } = pages[0] ?? {};
  return { isDeleted: (chunk: number): boolean => chunk < next && lengths[chunk] === 0, dead };
}

/** The lengths of all chunks of a memory, by id; 0 for deleted ones. */
export function lengthsOf(pages: readonly LengthPage[]): Uint16Array {
  const last = pages.reduce((most, { page }) => Math.max(most, page), -1);
  const all = new Uint16Array(1 + PAGE * (1 + last));
  for (const { page, lengths } of pages) {
    const first = 1 + page * PAGE;
    for (let at = 0; at < lengths.length / BYTES; at++) {
      all[first + at] = lengths.readUInt16LE(at * BYTES);
    }
  }
  return all;
}

function bytesOf(lengths: readonly number[]): Buffer {
  const bytes = Buffer.alloc(lengths.length * BYTES);
  for (const [at, length] of lengths.entries()) bytes.writeUInt16LE(length, at * BYTES);
  return bytes;
}
