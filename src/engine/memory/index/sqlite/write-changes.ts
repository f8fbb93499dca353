import type { Connection } from '../../../sqlite/database.js';
import { queryRow } from '../../../sqlite/query.js';
import type { DocumentKey } from '../../types.js';
import type { ChunkRow } from '../candidates.js';
import type { IndexedDocument } from '../documents.js';
import type { Tokenizer } from '../identity.js';
import { chunkRows, columnTexts, documentLanguage } from '../indexed-texts.js';
import { type Language, languageByCode } from '../languages.js';
import type { ChangeSet } from '../memory-index.js';
import { readMeta, recordKinds, writeMeta } from './read-documents.js';
import { INSERT_TEXT } from './schema.js';
import { lowerWholeTo, reviveWritten } from './vectors/spaces.js';

/**
 * Deletes chunks. A contentless full-text table needs a row's old content to delete it; otherwise SQLite's row and word
 * counts, and with them the scores, would be wrong.
 */
export function chunkRemover(database: Connection, tokenizer: Tokenizer) {
  const deleteText = database.prepare(
    `INSERT INTO chunks_fts (chunks_fts, rowid, text, heading_path, parts, file_name)
     VALUES ('delete', ?, ?, ?, ?, ?)`,
  );
  const freeHash = database.prepare(
    'INSERT OR IGNORE INTO freed_hashes SELECT hash FROM chunks WHERE id = ?',
  );
  const deleteChunk = database.prepare('DELETE FROM chunks WHERE id = ?');
  const hasVectors = hasSpaces(database);
  return (
    chunk: Pick<ChunkRow, 'headings' | 'id' | 'text'>,
    key: DocumentKey,
    language: string | null,
  ): void => {
    deleteText.run(chunk.id, ...columnTexts(chunk, key, tokenizer, languageByCode(language)));
    if (hasVectors) freeHash.run(chunk.id);
    deleteChunk.run(chunk.id);
  };
}

function hasSpaces(database: Connection): boolean {
  return queryRow(database, 'SELECT 1 FROM spaces LIMIT 1') !== undefined;
}

/** Stored, because counting at search time would scan the whole table. */
export function addToChunkCount(database: Connection, added: number): void {
  writeMeta(database, 'chunks', String(Number(readMeta(database, 'chunks') ?? 0) + added));
}

/** Applies a change set to documents, chunks and full-text rows. The transaction is the caller's. */
export function writeChanges(
  database: Connection,
  tokenizer: Tokenizer,
  { atMs, vectorsFollow, changes }: ChangeSet,
): void {
  const findDocument = database.prepare<[string, string], StoredKey>(
    'SELECT id, language FROM documents WHERE source = ? AND path = ?',
  );
  const findLastChunks = database.prepare<
    [number, number],
    Pick<ChunkRow, 'headings' | 'id' | 'text'>
  >(
    `SELECT id, heading_path AS headings, text FROM chunks
     WHERE document_id = ? ORDER BY id DESC LIMIT ?`,
  );
  const removeChunk = chunkRemover(database, tokenizer);
  const deleteDocument = database.prepare('DELETE FROM documents WHERE id = ?');
  const updateDocument = database.prepare(
    `UPDATE documents SET size = ?, mtime_ms = ?, ctime_ms = ?, indexed_ms = ?
     WHERE source = ? AND path = ?`,
  );
  const extendDocument = database.prepare(
    `UPDATE documents SET size = ?, mtime_ms = ?, ctime_ms = ?, hash = ?, indexed_ms = ?, resume = ?
     WHERE id = ?`,
  );
  const insertDocument = database.prepare(
    `INSERT INTO documents
       (source, path, kind, mime_type, language, size, mtime_ms, ctime_ms, hash, indexed_ms, resume,
       facts, links)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const insertChunk = database.prepare(
    `INSERT INTO chunks (document_id, start_line, end_line, hash, heading_path, first_day, last_day,
       text, line_numbers)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const insertText = database.prepare(INSERT_TEXT);
  const hasVectors = hasSpaces(database);
  let addedChunks = 0;
  // A new row gets the highest id plus one, which may reuse the ids of deleted rows.
  let firstWritten = Number.POSITIVE_INFINITY;

  const removeLast = (count: number, { id, language }: StoredKey, key: DocumentKey): void => {
    // FTS5 writes what it has with each id that is lower than the one before.
    for (const chunk of findLastChunks.all(id, count).reverse()) {
      removeChunk(chunk, key, language);
      addedChunks -= 1;
    }
  };
  const remove = (key: DocumentKey): void => {
    const stored = findDocument.get(key.source, key.path);
    if (stored === undefined) return;
    removeLast(ALL, stored, key);
    deleteDocument.run(stored.id);
  };
  const insertChunks = (
    id: number,
    document: IndexedDocument,
    language: Language | undefined,
  ): void => {
    for (const row of chunkRows(document, hasVectors || vectorsFollow)) {
      const { startLine, endLine, hash, headings, firstDay, lastDay, text, lineNumbers } = row;
      // By place: rows bound by name made the process grow with the notes, to half as much again for 14,000 files.
      const place = [startLine, endLine, hash, headings, firstDay, lastDay] as const;
      const chunk = Number(insertChunk.run(id, ...place, text, lineNumbers).lastInsertRowid);
      insertText.run(chunk, ...columnTexts(row, document, tokenizer, language));
      firstWritten = Math.min(firstWritten, chunk);
      addedChunks += 1;
    }
  };
  const insert = (document: IndexedDocument): void => {
    const { source, path, kind, mimeType = null, hash, fingerprint, resume = null } = document;
    const { size, mtimeMs, ctimeMs } = fingerprint;
    const facts = document.facts === undefined ? null : JSON.stringify(document.facts);
    const links = document.links === undefined ? null : JSON.stringify(document.links);
    const read = [size, mtimeMs, ctimeMs, hash, atMs, resume, facts, links] as const;
    const language = documentLanguage(document, tokenizer);
    const row = insertDocument.run(source, path, kind, mimeType, language?.code ?? null, ...read);
    insertChunks(Number(row.lastInsertRowid), document, language);
  };
  const extend = (document: IndexedDocument, replacesLast: number): void => {
    const { source, path, hash, fingerprint, resume = null } = document;
    const stored = findDocument.get(source, path);
    if (stored === undefined)
      throw new Error(`${path} is not in the index, so it cannot be extended`);
    const { size, mtimeMs, ctimeMs } = fingerprint;
    removeLast(replacesLast, stored, document);
    extendDocument.run(size, mtimeMs, ctimeMs, hash, atMs, resume, stored.id);
    insertChunks(stored.id, document, languageByCode(stored.language));
  };

  for (const change of changes) {
    switch (change.type) {
      case 'remove':
        remove(change.key);
        break;
      case 'touch': {
        const { source, path } = change.key;
        const { size, mtimeMs, ctimeMs } = change.fingerprint;
        updateDocument.run(size, mtimeMs, ctimeMs, atMs, source, path);
        break;
      }
      case 'put':
        remove(change.document);
        insert(change.document);
        break;
      case 'extend':
        extend(change.document, change.replacesLast);
        break;
    }
  }
  if (hasVectors && Number.isFinite(firstWritten)) {
    lowerWholeTo(database, firstWritten);
    reviveWritten(database, firstWritten);
  }
  addToChunkCount(database, addedChunks);
  recordKinds(database);
  database.exec('DELETE FROM tree');
}

/** As the number of rows of a statement. */
const ALL = -1;

interface StoredKey {
  readonly id: number;
  readonly language: string | null;
}
