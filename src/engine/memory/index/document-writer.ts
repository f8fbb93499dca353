import type { Connection } from '../../sqlite/database.js';
import type { DocumentKey, FileFingerprint } from '../types.js';
import type { Tokenizer } from './identity.js';
import { fileNameWords, lexicalText } from './lexical-text.js';
import { lineNumbersText } from './line-numbers.js';
import type { Change, IndexedDocument } from './memory-index.js';
import { HEADING_SEPARATOR } from './schema.js';
import type { ChunkChanges } from './vectors/chunk-changes.js';
import { contentHash, mediaContentHash } from './vectors/content-hash.js';

/** Writes documents with their chunks and full-text rows. Transactions are the caller's. */
export interface DocumentWriter {
  /**
   * @param indexedMs when the file was looked at, in milliseconds since the epoch
   * @param chunks is told which chunks come and go
   * @returns how many chunks more there are now; negative for fewer
   */
  write(change: Change, indexedMs: number, chunks: ChunkChanges): number;
}

/** Prepares the statements once for any number of documents. */
export function createDocumentWriter(database: Connection, tokenizer: Tokenizer): DocumentWriter {
  const findDocument = database
    .prepare<[string, string], number>('SELECT id FROM documents WHERE source = ? AND path = ?')
    .pluck();
  const findChunks = database.prepare<[number], StoredChunk>(
    'SELECT id, heading_path AS headings, text FROM chunks WHERE document_id = ?',
  );
  const deleteText = database.prepare(
    `INSERT INTO chunks_fts (chunks_fts, rowid, text, heading_path, file_name)
     VALUES ('delete', ?, ?, ?, ?)`,
  );
  const deleteChunks = database.prepare('DELETE FROM chunks WHERE document_id = ?');
  const findLastChunks = database.prepare<[number, number], StoredChunk>(
    `SELECT id, heading_path AS headings, text FROM chunks
     WHERE document_id = ? ORDER BY id DESC LIMIT ?`,
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
       (source, path, kind, mime_type, size, mtime_ms, ctime_ms, hash, indexed_ms, resume)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const insertChunk = database.prepare(
    `INSERT INTO chunks (document_id, start_line, end_line, hash, heading_path, text, line_numbers)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const insertText = database.prepare(
    'INSERT INTO chunks_fts (rowid, text, heading_path, file_name) VALUES (?, ?, ?, ?)',
  );
  // A contentless full-text table must be told what a row held to take it out: only so do SQLite's
  // counts of rows and words, and with them the scores, come out as if it had never been there.
  const forget = (chunks: readonly StoredChunk[], key: DocumentKey): void => {
    const fileName = lexicalText(fileNameWords(key), tokenizer);
    for (const { id, text, headings } of chunks) {
      const texts = [lexicalText(text, tokenizer), lexicalText(headings, tokenizer)] as const;
      deleteText.run(id, ...texts, fileName);
    }
  };
  const remove = (key: DocumentKey, gone: ChunkChanges): number => {
    const id = findDocument.get(key.source, key.path);
    if (id === undefined) return 0;
    forget(findChunks.all(id), key);
    gone.removing(id);
    const { changes } = deleteChunks.run(id);
    deleteDocument.run(id);
    return changes;
  };
  const removeLast = (id: number, count: number, key: DocumentKey, gone: ChunkChanges): number => {
    const last = findLastChunks.all(id, count);
    forget(last, key);
    for (const chunk of last) {
      gone.removingChunk(chunk.id);
      deleteChunk.run(chunk.id);
    }
    return last.length;
  };
  const touch = (key: DocumentKey, fingerprint: FileFingerprint, indexedMs: number): void => {
    const { size, mtimeMs, ctimeMs } = fingerprint;
    updateDocument.run(size, mtimeMs, ctimeMs, indexedMs, key.source, key.path);
  };
  const insertChunks = (id: number, document: IndexedDocument, come: ChunkChanges): void => {
    const { mimeType, hash: fileHash } = document;
    // Of a medium the file is embedded, not the words it is found by.
    const media = mimeType === undefined ? undefined : mediaContentHash(mimeType, fileHash);
    const fileName = lexicalText(fileNameWords(document), tokenizer);
    for (const { startLine, endLine, headingPath, text, lineNumbers } of document.chunks) {
      const headings = headingPath.join(HEADING_SEPARATOR);
      const hash = media ?? (come.needsHashes ? contentHash(headings, text) : null);
      const numbers = lineNumbers === undefined ? null : lineNumbersText(lineNumbers);
      const chunk = insertChunk.run(id, startLine, endLine, hash, headings, text, numbers);
      come.inserted(Number(chunk.lastInsertRowid));
      const texts = [lexicalText(text, tokenizer), lexicalText(headings, tokenizer)] as const;
      insertText.run(chunk.lastInsertRowid, ...texts, fileName);
    }
  };
  const insert = (document: IndexedDocument, indexedMs: number, come: ChunkChanges): void => {
    const { source, path, kind, mimeType = null, hash, fingerprint, resume = null } = document;
    const { size, mtimeMs, ctimeMs } = fingerprint;
    const facts = [size, mtimeMs, ctimeMs, hash, indexedMs, resume] as const;
    const row = insertDocument.run(source, path, kind, mimeType, ...facts);
    insertChunks(Number(row.lastInsertRowid), document, come);
  };
  const extend = (
    document: IndexedDocument,
    replacesLast: number,
    indexedMs: number,
    changes: ChunkChanges,
  ): number => {
    const { source, path, hash, fingerprint, resume = null } = document;
    const id = findDocument.get(source, path);
    if (id === undefined) throw new Error(`there is nothing of ${path} to go on from`);
    const { size, mtimeMs, ctimeMs } = fingerprint;
    const removed = removeLast(id, replacesLast, document, changes);
    extendDocument.run(size, mtimeMs, ctimeMs, hash, indexedMs, resume, id);
    insertChunks(id, document, changes);
    return document.chunks.length - removed;
  };
  return {
    write(change, indexedMs, changes) {
      switch (change.type) {
        case 'remove':
          return -remove(change.key, changes);
        case 'touch':
          touch(change.key, change.fingerprint, indexedMs);
          return 0;
        case 'put': {
          const removed = remove(change.document, changes);
          insert(change.document, indexedMs, changes);
          return change.document.chunks.length - removed;
        }
        case 'extend':
          return extend(change.document, change.replacesLast, indexedMs, changes);
      }
    },
  };
}

interface StoredChunk {
  readonly id: number;
  readonly headings: string;
  readonly text: string;
}
