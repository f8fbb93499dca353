import type { Connection } from '../../../sqlite/database.js';
import { queryRow } from '../../../sqlite/query.js';
import type { DocumentKey } from '../../types.js';
import type { Change, IndexedDocument } from '../documents.js';
import type { Tokenizer } from '../identity.js';
import { chunkRows, columnTexts, documentLanguage } from '../indexed-texts.js';
import { type Language, languageByCode } from '../languages.js';
import { lowerWholeTo, reviveWritten } from './vectors/spaces.js';

/**
 * Writes a document with its chunks and full-text rows. Transactions are the caller's.
 *
 * @returns the change in the number of chunks
 */
export type WriteDocument = (change: Change, indexedMs: number, chunks: ChunkChanges) => number;

/** Prepares the statements once for any number of documents. */
export function documentWriter(database: Connection, tokenizer: Tokenizer): WriteDocument {
  const findDocument = database.prepare<[string, string], StoredKey>(
    'SELECT id, language FROM documents WHERE source = ? AND path = ?',
  );
  const findLastChunks = database.prepare<[number, number], StoredChunk>(
    `SELECT id, heading_path AS headings, text FROM chunks
     WHERE document_id = ? ORDER BY id DESC LIMIT ?`,
  );
  const deleteText = database.prepare(
    `INSERT INTO chunks_fts (chunks_fts, rowid, text, heading_path, parts, file_name)
     VALUES ('delete', ?, ?, ?, ?, ?)`,
  );
  const deleteChunk = database.prepare('DELETE FROM chunks WHERE id = ?');
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
  const insertText = database.prepare(
    'INSERT INTO chunks_fts (rowid, text, heading_path, parts, file_name) VALUES (?, ?, ?, ?, ?)',
  );
  // A contentless full-text table needs a row's old content to delete it; otherwise SQLite's row and word
  // counts, and with them the scores, would be wrong.
  const removeLast = (
    count: number,
    stored: StoredKey,
    key: DocumentKey,
    changes: ChunkChanges,
  ): number => {
    const language = languageByCode(stored.language);
    // FTS5 writes what it has with each id that is lower than the one before.
    const chunks = findLastChunks.all(stored.id, count).reverse();
    for (const chunk of chunks) {
      deleteText.run(chunk.id, ...columnTexts(chunk, key, tokenizer, language));
      changes.removing(chunk.id);
      deleteChunk.run(chunk.id);
    }
    return chunks.length;
  };
  const remove = (key: DocumentKey, changes: ChunkChanges): number => {
    const stored = findDocument.get(key.source, key.path);
    if (stored === undefined) return 0;
    const removed = removeLast(ALL, stored, key, changes);
    deleteDocument.run(stored.id);
    return removed;
  };
  const insertChunks = (
    id: number,
    document: IndexedDocument,
    language: Language | undefined,
    changes: ChunkChanges,
  ): void => {
    for (const row of chunkRows(document, changes.needsHashes)) {
      const { startLine, endLine, hash, headings, firstDay, lastDay, text, lineNumbers } = row;
      // By place: rows bound by name made the process grow with the notes, to half as much again for 14,000 files.
      const place = [startLine, endLine, hash, headings, firstDay, lastDay] as const;
      const chunk = Number(insertChunk.run(id, ...place, text, lineNumbers).lastInsertRowid);
      changes.inserted(chunk);
      insertText.run(chunk, ...columnTexts(row, document, tokenizer, language));
    }
  };
  const insert = (document: IndexedDocument, indexedMs: number, changes: ChunkChanges): void => {
    const { source, path, kind, mimeType = null, hash, fingerprint, resume = null } = document;
    const { size, mtimeMs, ctimeMs } = fingerprint;
    const facts = document.facts === undefined ? null : JSON.stringify(document.facts);
    const links = document.links === undefined ? null : JSON.stringify(document.links);
    const read = [size, mtimeMs, ctimeMs, hash, indexedMs, resume, facts, links] as const;
    const language = documentLanguage(document, tokenizer);
    const row = insertDocument.run(source, path, kind, mimeType, language?.code ?? null, ...read);
    insertChunks(Number(row.lastInsertRowid), document, language, changes);
  };
  const extend = (
    document: IndexedDocument,
    replacesLast: number,
    indexedMs: number,
    changes: ChunkChanges,
  ): number => {
    const { source, path, hash, fingerprint, resume = null } = document;
    const stored = findDocument.get(source, path);
    if (stored === undefined)
      throw new Error(`${path} is not in the index, so it cannot be extended`);
    const { size, mtimeMs, ctimeMs } = fingerprint;
    const removed = removeLast(replacesLast, stored, document, changes);
    extendDocument.run(size, mtimeMs, ctimeMs, hash, indexedMs, resume, stored.id);
    insertChunks(stored.id, document, languageByCode(stored.language), changes);
    return document.chunks.length - removed;
  };
  return (change, indexedMs, changes) => {
    switch (change.type) {
      case 'remove':
        return -remove(change.key, changes);
      case 'touch': {
        const { source, path } = change.key;
        const { size, mtimeMs, ctimeMs } = change.fingerprint;
        updateDocument.run(size, mtimeMs, ctimeMs, indexedMs, source, path);
        return 0;
      }
      case 'put': {
        const removed = remove(change.document, changes);
        insert(change.document, indexedMs, changes);
        return change.document.chunks.length - removed;
      }
      case 'extend':
        return extend(change.document, change.replacesLast, indexedMs, changes);
    }
  };
}

/** As the number of rows of a statement. */
const ALL = -1;

interface StoredKey {
  readonly id: number;
  readonly language: string | null;
}

interface StoredChunk {
  readonly id: number;
  readonly headings: string;
  readonly text: string;
}

/** Tracks chunks that a change set adds and removes, to keep vectors consistent. */
export interface ChunkChanges {
  /** Whether chunks are written with a content hash. */
  readonly needsHashes: boolean;
  /** A chunk is about to be deleted. */
  removing(chunkId: number): void;
  inserted(chunkId: number): void;
  /** Must be called last, in the same transaction. */
  finish(): void;
}

/** Does nothing in an index without vectors. @param vectorsFollow whether it is about to get some */
export function followChunks(database: Connection, vectorsFollow: boolean): ChunkChanges {
  const hasVectors = queryRow(database, 'SELECT 1 FROM spaces LIMIT 1') !== undefined;
  const free = database.prepare(
    'INSERT OR IGNORE INTO freed_hashes SELECT hash FROM chunks WHERE id = ?',
  );
  let firstWritten = Number.POSITIVE_INFINITY;
  return {
    needsHashes: hasVectors || vectorsFollow,
    removing: (chunkId) => {
      if (hasVectors) free.run(chunkId);
    },
    // A new row gets the highest id plus one, which may reuse the ids of deleted rows.
    inserted: (chunkId) => {
      firstWritten = Math.min(firstWritten, chunkId);
    },
    finish() {
      if (!hasVectors || !Number.isFinite(firstWritten)) return;
      lowerWholeTo(database, firstWritten);
      reviveWritten(database, firstWritten);
    },
  };
}
