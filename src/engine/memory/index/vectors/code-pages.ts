import type { Connection } from '../../../sqlite/database.js';
import { type CodePage, codeLengths, GROUP, PAGE_SLOTS } from './code-page.js';
import type { Rotation } from './rotation.js';
import type { Space } from './spaces.js';
import { bytesOf, floatsOf, integersOf } from './vector-bytes.js';

/** A page as it is stored: the columns of `code_pages` and `codes`. */
export interface StoredPage {
  readonly id: number;
  readonly used: number;
  readonly centre: Buffer;
  readonly ids: Buffer;
  readonly scales: Buffer;
  readonly offsets: Buffer;
  readonly codes: Buffer;
}

/** A page as it is read: a damaged database may have lost its codes. */
type PageRow = Omit<StoredPage, 'codes'> & { readonly codes: Buffer | null };

const SELECT_PAGE = `
  SELECT code_pages.id, used, centre, embedding_ids AS ids, scales, offsets, codes
  FROM code_pages LEFT JOIN codes ON page_id = code_pages.id`;

/** The pages of a space, one in memory at a time. Not by one iterator: see keep-native-objects.ts. */
export function* storedPages(database: Connection, space: Space): Generator<PageRow> {
  const ids = database
    .prepare<[number], number>('SELECT id FROM code_pages WHERE space_id = ? ORDER BY id')
    .pluck()
    .all(space.id);
  const read = database.prepare<[number], PageRow>(`${SELECT_PAGE} WHERE code_pages.id = ?`);
  for (const id of ids) {
    const page = read.get(id);
    if (page !== undefined) yield page;
  }
}

/** Whether any vector of a space has a code. */
export function hasPages(database: Connection, space: Space): boolean {
  const any = database.prepare('SELECT 1 FROM code_pages WHERE space_id = ? LIMIT 1');
  return any.get(space.id) !== undefined;
}

/** Whether a page's columns fit together. */
export function isWholePage(page: PageRow, rotation: Rotation): page is StoredPage {
  const slots = page.scales.length / WORD;
  const { long, short } = codeLengths(rotation.width);
  const bytes = (page.codes?.length ?? 0) / slots;
  return (
    (bytes === long || bytes === short) &&
    slots % GROUP === 0 &&
    slots <= PAGE_SLOTS &&
    page.used <= slots &&
    page.centre.length === rotation.width * WORD &&
    page.ids.length === slots * WORD &&
    page.offsets.length === slots * WORD
  );
}

const WORD = 4;

/** The page that new vectors of a space go into, if there is a sound one with room. */
export function openPage(
  database: Connection,
  space: Space,
  rotation: Rotation,
): { readonly id: number; readonly page: CodePage } | undefined {
  const stored = database
    .prepare<[number, number], PageRow>(
      `${SELECT_PAGE} WHERE space_id = ? AND used < ? ORDER BY code_pages.id DESC LIMIT 1`,
    )
    .get(space.id, PAGE_SLOTS);
  if (stored === undefined || !isWholePage(stored, rotation)) return undefined;
  const scales = floatsOf(stored.scales);
  const page: CodePage = {
    bytes: stored.codes.length / scales.length,
    used: stored.used,
    centre: floatsOf(stored.centre),
    ids: integersOf(stored.ids),
    scales,
    offsets: floatsOf(stored.offsets),
    codes: stored.codes,
  };
  return { id: stored.id, page };
}

/** How many pages a space has. */
export function countPages(database: Connection, space: Space): number {
  return (
    database
      .prepare<[number], number>('SELECT count(*) FROM code_pages WHERE space_id = ?')
      .pluck()
      .get(space.id) ?? 0
  );
}

/** Writes a page, in the place of the one with this id if there is one. */
export function writePage(
  database: Connection,
  space: Space,
  id: number | undefined,
  page: CodePage,
): void {
  const { used, centre, ids, scales, offsets, codes } = page;
  const columns = [centre, ids, scales, offsets].map(bytesOf);
  if (id === undefined) {
    const inserted = database
      .prepare('INSERT INTO code_pages VALUES (NULL, ?, ?, ?, ?, ?, ?, ?)')
      .run(space.id, used, liveSlots(page), ...columns);
    database.prepare('INSERT INTO codes VALUES (?, ?)').run(inserted.lastInsertRowid, codes);
    return;
  }
  database
    .prepare(
      `UPDATE code_pages SET used = ?, live = ?, centre = ?, embedding_ids = ?, scales = ?,
         offsets = ? WHERE id = ?`,
    )
    .run(used, liveSlots(page), ...columns, id);
  database.prepare('UPDATE codes SET codes = ? WHERE page_id = ?').run(codes, id);
}

function liveSlots({ offsets }: Pick<CodePage, 'offsets'>): number {
  return offsets.reduce(
    (live, offset) => (offset === Number.NEGATIVE_INFINITY ? live : live + 1),
    0,
  );
}

/** Takes vectors out of the pages of a space; pages that become half empty are given up. */
export function removeFromPages(
  database: Connection,
  space: Space,
  gone: ReadonlySet<number>,
): void {
  if (gone.size === 0) return;
  const pages = database
    .prepare<[number], { id: number; used: number; ids: Buffer; offsets: Buffer }>(
      'SELECT id, used, embedding_ids AS ids, offsets FROM code_pages WHERE space_id = ?',
    )
    .all(space.id);
  for (const page of pages) {
    const ids = integersOf(page.ids);
    const offsets = floatsOf(page.offsets);
    let touched = false;
    for (const [slot, id] of ids.entries()) {
      if (!gone.has(id) || offsets[slot] === Number.NEGATIVE_INFINITY) continue;
      offsets[slot] = Number.NEGATIVE_INFINITY;
      touched = true;
    }
    if (!touched) continue;
    const live = liveSlots({ offsets });
    if (live * 2 < page.used) {
      giveUpPage(
        database,
        space,
        page.id,
        ids.filter((_, slot) => isLive(offsets[slot])),
      );
      continue;
    }
    database
      .prepare('UPDATE code_pages SET live = ?, offsets = ? WHERE id = ?')
      .run(live, bytesOf(offsets), page.id);
  }
}

function isLive(offset: number | undefined): boolean {
  return offset !== undefined && offset !== Number.NEGATIVE_INFINITY;
}

function giveUpPage(database: Connection, space: Space, pageId: number, live: Uint32Array): void {
  const enqueue = database.prepare('INSERT OR IGNORE INTO uncoded VALUES (?, ?)');
  for (const id of live) enqueue.run(space.id, id);
  database.prepare('DELETE FROM codes WHERE page_id = ?').run(pageId);
  database.prepare('DELETE FROM code_pages WHERE id = ?').run(pageId);
}

/** Forgets all codes of a space, and what is still to be coded. */
export function dropCodes(database: Connection, space: Space): void {
  database
    .prepare('DELETE FROM codes WHERE page_id IN (SELECT id FROM code_pages WHERE space_id = ?)')
    .run(space.id);
  database.prepare('DELETE FROM code_pages WHERE space_id = ?').run(space.id);
  database.prepare('DELETE FROM uncoded WHERE space_id = ?').run(space.id);
}
