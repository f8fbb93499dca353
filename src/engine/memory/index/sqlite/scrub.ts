import { type Connection, inWriteTransaction } from '../../../sqlite/database.js';
import { queryRows, runSql } from '../../../sqlite/query.js';
import { groupBy } from '../../../support/lists.js';
import { sectionsOf, titlesOn } from '../../chunking/chunk-document.js';
import { textLines } from '../../sources/index.js';
import {
  type DocumentKey,
  type ForgottenPlace,
  type LineRange,
  overlaps,
  READ_AGAIN_MS,
} from '../../types.js';
import type { ChunkRow } from '../candidates.js';
import type { Tokenizer } from '../identity.js';
import { columnTexts } from '../indexed-texts.js';
import { languageByCode } from '../languages.js';
import { headingPathOf } from '../lexical-text.js';
import { readMeta, writeMeta } from './read-documents.js';
import { INSERT_TEXT } from './schema.js';
import { repairCodes } from './vectors/sign-codes.js';
import { allSpaces } from './vectors/spaces.js';
import { tidyEmbeddings } from './vectors/tidy-embeddings.js';
import { addToChunkCount, chunkRemover } from './write-changes.js';

/**
 * Makes the next sync read every file again, and then scrub.
 *
 * @param places passages that must not be found until then; other text in their chunks comes back with it
 */
export function requestScrub(
  database: Connection,
  tokenizer: Tokenizer,
  places: readonly ForgottenPlace[],
): void {
  inWriteTransaction(database, () => {
    removeChunksAt(database, tokenizer, places);
    database.exec(
      `INSERT OR REPLACE INTO meta VALUES ('scrub', '1');
       UPDATE documents SET ctime_ms = ${READ_AGAIN_MS};
       DELETE FROM tree`,
    );
  });
}

/** One line. */
function lineRange(line: number): LineRange {
  return { startLine: line, endLine: line };
}

/** Removes the chunks with these lines, and those below headings on them, which repeat these. */
function removeChunksAt(
  database: Connection,
  tokenizer: Tokenizer,
  places: readonly ForgottenPlace[],
): void {
  const placesByPath = groupBy(places, ({ path }) => path);
  const removeChunk = chunkRemover(database, tokenizer);
  const textOf = database.prepare<[number], Pick<ChunkRow, 'headings' | 'text'>>(
    'SELECT heading_path AS headings, text FROM chunks WHERE id = ?',
  );
  let removed = 0;
  const documents = queryRows<Omit<StoredText, 'headings' | 'text'>>(
    database,
    'SELECT id, source, path, language FROM documents',
  );
  for (const document of documents) {
    const inDocument = placesByPath.get(document.path);
    if (inDocument === undefined) continue;
    // Without their texts, which may be all of a long conversation.
    const chunks = queryRows<LineRange & { readonly id: number }>(
      database,
      `SELECT id, start_line AS startLine, end_line AS endLine FROM chunks
       WHERE document_id = ? ORDER BY id`,
      document.id,
    );
    const isGone = (range: LineRange): boolean =>
      inDocument.some((place) => overlaps(place, range));
    const titles = new Set<string>();
    for (const chunk of chunks) {
      const isIn = isGone(chunk);
      if (!isIn && titles.size === 0) continue;
      const row = textOf.get(chunk.id);
      if (row === undefined) continue;
      const headingPath = headingPathOf(row.headings);
      if (!isIn && !headingPath.some((title) => titles.has(title))) continue;
      const { startLine } = chunk;
      const sections = sectionsOf(document.path, textLines(row.text), { startLine, headingPath });
      for (const title of titlesOn(sections, (at) => isGone(lineRange(startLine + at)))) {
        titles.add(title);
      }
      removeChunk({ id: chunk.id, ...row }, document, document.language);
      removed += 1;
    }
    // It lacks them now, so that it must not count as unchanged; its tags and links may be from them.
    runSql(
      database,
      "UPDATE documents SET hash = '', facts = NULL, links = NULL WHERE id = ?",
      document.id,
    );
  }
  addToChunkCount(database, -removed);
}

/**
 * Erases deleted data from the file: SQLite leaves a deleted row's bytes in place until it reuses the space. While
 * another process reads the index, its log stays until the next try. No transaction may be open.
 */
export function scrub(database: Connection, tokenizer: Tokenizer, atMs: number): void {
  if (readMeta(database, 'scrub') !== LOG_LEFT) {
    forgetVectors(database, atMs);
    rewriteFullText(database, tokenizer);
    database.exec('VACUUM');
    writeMeta(database, 'scrub', LOG_LEFT);
  }
  database.pragma(`busy_timeout = ${READERS_WAIT_MS}`);
  // Writes the log back into the file and truncates it; 1 when a reader blocked it.
  const isBlocked = database.pragma('wal_checkpoint(TRUNCATE)', { simple: true }) !== 0;
  if (!isBlocked) database.exec("DELETE FROM meta WHERE key = 'scrub'");
}

/** Searches end sooner; what reads for longer, as a backup does, leaves the log to the next sync. */
const READERS_WAIT_MS = 5000;
/** The value of `scrub` once only the log has bytes of what was forgotten. */
const LOG_LEFT = 'log';

/**
 * Writes the full-text index again. FTS5 marks the words of deleted rows as deleted, and `optimize` can leave the
 * marked words in it: small segments move down from the highest level, and only a merge into that drops the marks.
 */
function rewriteFullText(database: Connection, tokenizer: Tokenizer): void {
  const insert = database.prepare(INSERT_TEXT);
  inWriteTransaction(database, () => {
    database.exec("INSERT INTO chunks_fts (chunks_fts) VALUES ('delete-all')");
    let after = 0;
    for (;;) {
      const rows = queryRows<StoredText>(
        database,
        `SELECT chunks.id, heading_path AS headings, text, source, path, language
         FROM chunks JOIN documents ON documents.id = document_id
         WHERE chunks.id > ? ORDER BY chunks.id LIMIT ${ROWS_AT_ONCE}`,
        after,
      );
      for (const row of rows) {
        insert.run(row.id, ...columnTexts(row, row, tokenizer, languageByCode(row.language)));
        after = row.id;
      }
      if (rows.length < ROWS_AT_ONCE) return;
    }
  });
}

/** Limits the memory that a large index takes. */
const ROWS_AT_ONCE = 1000;

interface StoredText extends DocumentKey, Pick<ChunkRow, 'headings' | 'id' | 'text'> {
  readonly language: string | null;
}

/** Deletes the whole cache, because it is not known which text a cached vector is of. */
function forgetVectors(database: Connection, atMs: number): void {
  const keepIdentities = allSpaces(database)
    .filter(({ inUse }) => inUse)
    .map(({ identity }) => identity);
  tidyEmbeddings(database, { keepIdentities, cacheEntries: 0, atMs });
  inWriteTransaction(database, () => {
    // Pages still contain codes of deleted vectors.
    for (const space of allSpaces(database)) if (space.inUse) repairCodes(database, space, 0);
  });
}
