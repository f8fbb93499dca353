import type { Connection } from '../../../sqlite/database.js';
import { type Codable, codeLengths, emptyPage, extendPage, PAGE_SLOTS } from './code-page.js';
import { countPages, dropCodes, openPage, writePage } from './code-pages.js';
import { createRotation } from './rotation.js';
import type { Space } from './spaces.js';
import { floatsOf } from './vector-bytes.js';

/** A page around the mean of fewer vectors would be badly centred. */
const MIN_PAGE = 256;
/** Vectors that are in memory at once; also how many make rewriting a page worth while. */
const BATCH = 1024;

/** When uncoded vectors are coded. */
export type CodingMoment = 'more are coming' | 'nothing is coming';

const WORTH_CODING: Readonly<Record<CodingMoment, number>> = {
  'more are coming': BATCH,
  'nothing is coming': MIN_PAGE,
};

/** Codes the uncoded vectors of a space once there are many. The transaction is the caller's. */
export function codeVectors(database: Connection, space: Space, moment: CodingMoment): void {
  if (countUncoded(database, space) < WORTH_CODING[moment]) return;
  const rotation = createRotation(space.dimensions);
  const take = database
    .prepare<[number, number], [number, Buffer]>(
      `SELECT embeddings.id, vector FROM uncoded CROSS JOIN embeddings ON embeddings.id = embedding_id
       WHERE uncoded.space_id = ? ORDER BY embedding_id LIMIT ?`,
    )
    .raw();
  const dequeue = database.prepare('DELETE FROM uncoded WHERE space_id = ? AND embedding_id <= ?');
  let open = openPage(database, space, rotation);
  for (;;) {
    const room = open === undefined ? PAGE_SLOTS : PAGE_SLOTS - open.page.used;
    const vectors = take.all(space.id, Math.min(room, BATCH)).map(([id, bytes]): Codable => {
      return { id, vector: floatsOf(bytes) };
    });
    const last = vectors.at(-1);
    if (last === undefined || (open === undefined && vectors.length < MIN_PAGE)) return;
    const before = open?.page ?? emptyPage(rotation, vectors, countPages(database, space));
    const page = extendPage(rotation, before, vectors);
    writePage(database, space, open?.id, page);
    dequeue.run(space.id, last.id);
    open = openPage(database, space, rotation);
  }
}

/** How many vectors in use have no code. */
function countUncoded(database: Connection, space: Space): number {
  return (
    database
      .prepare<[number], number>('SELECT count(*) FROM uncoded WHERE space_id = ?')
      .pluck()
      .get(space.id) ?? 0
  );
}

/** Makes the codes of a space anew where they are not what its vectors ask for. */
export function mendCodes(database: Connection, space: Space): void {
  if (areCodesWhole(database, space)) return;
  dropCodes(database, space);
  database
    .prepare(
      `INSERT INTO uncoded SELECT space_id, id FROM embeddings
       WHERE space_id = ? AND id NOT IN (SELECT embedding_id FROM cached_embeddings)`,
    )
    .run(space.id);
}

/** Whether the columns of every page fit together, and every vector in use has a place. */
function areCodesWhole(database: Connection, space: Space): boolean {
  const { width } = createRotation(space.dimensions);
  const values = { space: space.id, width, ...codeLengths(width) };
  const broken = database
    .prepare<[typeof values], number>(
      `SELECT EXISTS (
         SELECT 1 FROM code_pages LEFT JOIN codes ON page_id = code_pages.id
         WHERE space_id = @space AND NOT ifnull(
           length(centre) = @width * 4
           AND length(scales) >= used * 4
           AND length(embedding_ids) = length(scales)
           AND length(offsets) = length(scales)
           AND length(codes) * 4 IN (length(scales) * @long, length(scales) * @short), 0)
       ) OR (
         SELECT coalesce(sum(live), 0) FROM code_pages WHERE space_id = @space
       ) + (
         SELECT count(*) FROM uncoded WHERE space_id = @space
       ) <> (
         SELECT count(*) FROM embeddings WHERE space_id = @space
           AND id NOT IN (SELECT embedding_id FROM cached_embeddings)
       )`,
    )
    .pluck()
    .get(values);
  return broken === 0;
}
