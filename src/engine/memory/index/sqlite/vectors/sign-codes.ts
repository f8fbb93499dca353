import type { Connection } from '../../../../sqlite/database.js';
import { queryColumn, queryRow, queryValue, runSql } from '../../../../sqlite/query.js';
import { comparedExactly, FEWEST_CODED_DIMENSIONS } from '../../candidates.js';
import { bytesOf, integersOf, type QueryVector, sumOfVectors } from '../../vector-bytes.js';
import type { Space } from './spaces.js';

/*
 * The code of a content is one bit for each dimension: whether the sum of its vectors is negative there. The
 * fewer bits differ between a code and a query's, the smaller is the angle, on average. That is not enough to
 * rank contents, but shows which few are worth comparing exactly, and reading codes takes a fraction of the
 * time of reading vectors (see bench/vectors.ts). A code depends on nothing but its content.
 */

const WORD_BITS = 32;
/** Codes are stored in pages of this many: for each an embedding's id and then its bits, in 32-bit words. */
const PAGE_SLOTS = 256;

function slotWords(space: Space): number {
  return 1 + Math.ceil(space.dimensions / WORD_BITS);
}

/** Codes the uncoded contents of a space, one full page at a time. The transaction is the caller's. */
export function codeVectors(database: Connection, space: Space): void {
  if (space.dimensions < FEWEST_CODED_DIMENSIONS) return;
  const take = database
    .prepare<[number], [number, Buffer]>(
      `SELECT embeddings.id, vector FROM uncoded CROSS JOIN embeddings ON embeddings.id = embedding_id
       WHERE uncoded.space_id = ? ORDER BY embedding_id LIMIT ${PAGE_SLOTS}`,
    )
    .raw();
  const insert = database.prepare('INSERT INTO code_pages VALUES (NULL, ?, ?)');
  const dequeue = database.prepare('DELETE FROM uncoded WHERE space_id = ? AND embedding_id <= ?');
  const stride = slotWords(space);
  const count = 'SELECT count(*) FROM uncoded WHERE space_id = ?';
  let left = queryValue<number>(database, count, space.id) ?? 0;
  for (; left >= PAGE_SLOTS; left -= PAGE_SLOTS) {
    const rows = take.all(space.id);
    // A damaged file may have fewer than were counted.
    if (rows.length < PAGE_SLOTS) return;
    const page = new Uint32Array(PAGE_SLOTS * stride);
    for (const [slot, [id, packed]] of rows.entries()) {
      page[slot * stride] = id;
      page.set(signsOf(sumOfVectors(packed, space.dimensions)), slot * stride + 1);
    }
    insert.run(space.id, bytesOf(page));
    dequeue.run(space.id, rows.at(-1)?.[0]);
  }
}

function signsOf(vector: Float32Array | QueryVector): Uint32Array {
  const signs = new Uint32Array(Math.ceil(vector.length / WORD_BITS));
  for (let at = 0; at < vector.length; at++) {
    const word = at >>> 5;
    // Without a branch: signs are as good as random, so half of all predictions would fail.
    signs[word] = (signs[word] ?? 0) | (Number((vector[at] ?? 0) < 0) << at);
  }
  return signs;
}

interface NearestCodesRequest {
  readonly space: Space;
  readonly query: QueryVector;
  /** The ids to choose from; undefined for all. */
  readonly among: ReadonlySet<number> | undefined;
}

/**
 * The ids of the coded contents that are worth comparing exactly for `count` results: those whose codes differ
 * least from the query's, in no order. Undefined when the codes are damaged.
 */
export function nearestCodes(
  database: Connection,
  { space, query, among }: NearestCodesRequest,
  count: number,
): Uint32Array | undefined {
  const pageIds = queryColumn<number>(
    database,
    'SELECT id FROM code_pages WHERE space_id = ? ORDER BY id',
    space.id,
  );
  // One page in memory at a time.
  const read = database
    .prepare<[number], Buffer>('SELECT codes FROM code_pages WHERE id = ?')
    .pluck();
  const signs = signsOf(query);
  const stride = slotWords(space);
  const ids = new Uint32Array(pageIds.length * PAGE_SLOTS);
  const differing = new Uint16Array(ids.length);
  const counts = new Uint32Array(space.dimensions + 1);
  let slot = 0;
  for (const pageId of pageIds) {
    const page = integersOf(read.get(pageId) ?? Buffer.alloc(0));
    if (page.length !== PAGE_SLOTS * stride) return undefined;
    for (let at = 0; at < page.length; at += stride, slot++) {
      const id = page[at] ?? 0;
      if (among !== undefined && !among.has(id)) continue;
      const bits = differingBits(page, at + 1, signs);
      ids[slot] = id;
      differing[slot] = bits;
      counts[bits] = (counts[bits] ?? 0) + 1;
    }
  }
  let left = comparedExactly(count, ids.length);
  let most = -1;
  while (left > 0 && most < space.dimensions) left -= counts[++most] ?? 0;
  return ids.filter((id, at) => id > 0 && (differing[at] ?? 0) <= most);
}

function differingBits(page: Uint32Array, from: number, signs: Uint32Array): number {
  let differing = 0;
  for (let word = 0; word < signs.length; word++) {
    let bits = (page[from + word] ?? 0) ^ (signs[word] ?? 0);
    // Adds up neighbouring pairs, then fours, then bytes (Hacker's Delight, figure 5-2).
    bits -= (bits >>> 1) & 0x55555555;
    bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
    differing += Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }
  return differing;
}

/** Deletes all codes of a space, and its queue of contents to code. */
export function dropCodes(database: Connection, space: Space): void {
  runSql(database, 'DELETE FROM code_pages WHERE space_id = ?', space.id);
  runSql(database, 'DELETE FROM uncoded WHERE space_id = ?', space.id);
}

/** Share of codes of unused contents above which all are recomputed. */
const MOST_DEAD = 1 / 4;

/**
 * Recomputes the codes of a space if they are damaged, or too many belong to unused contents. Those slow
 * queries down a little but do not change results.
 */
export function repairCodes(database: Connection, space: Space, mostDead = MOST_DEAD): void {
  const { coded, broken, uncoded, used } = countCodes(database, space);
  const dead = coded + uncoded - used;
  if (broken === 0 && dead >= 0 && dead <= coded * mostDead) return;
  dropCodes(database, space);
  runSql(
    database,
    `INSERT INTO uncoded SELECT space_id, id FROM embeddings
     WHERE space_id = ? AND id NOT IN (SELECT embedding_id FROM cached_embeddings)`,
    space.id,
  );
  codeVectors(database, space);
}

interface CodeCounts {
  readonly coded: number;
  /** Pages of another length than theirs. */
  readonly broken: number;
  readonly uncoded: number;
  /** Contents in use. */
  readonly used: number;
}

function countCodes(database: Connection, space: Space): CodeCounts {
  const counts = queryRow<CodeCounts>(
    database,
    `SELECT count(*) * ${PAGE_SLOTS} AS coded,
       count(*) FILTER (WHERE length(codes) <> @bytes) AS broken,
       (SELECT count(*) FROM uncoded WHERE space_id = @id) AS uncoded,
       (SELECT count(*) FROM embeddings WHERE space_id = @id
         AND id NOT IN (SELECT embedding_id FROM cached_embeddings)) AS used
     FROM code_pages WHERE space_id = @id`,
    { id: space.id, bytes: PAGE_SLOTS * slotWords(space) * 4 },
  );
  if (counts === undefined) throw new Error('an aggregate has one row');
  return counts;
}
