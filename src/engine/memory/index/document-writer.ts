import type { DocumentKey } from '../types.js';
import type { Connection } from './database.js';
import type { Tokenizer } from './identity.js';
import { fileNameWords, lexicalText } from './lexical-text.js';
import type { ChangeSet, IndexedDocument } from './memory-index.js';

/** Joins a heading path in its column; no Markdown heading holds a line end. */
export const HEADING_SEPARATOR = '\n';

/** Writes documents with their chunks and full-text rows. Transactions are the caller's. */
export interface DocumentWriter {
  remove(key: DocumentKey): void;
  touch(touched: ChangeSet['touch'][number], indexedMs: number): void;
  /** The key must be free: remove what it names before. */
  insert(document: IndexedDocument, indexedMs: number): void;
}

/** Prepares the statements once for any number of documents. */
export function createDocumentWriter(database: Connection, tokenizer: Tokenizer): DocumentWriter {
  const findDocument = database
    .prepare<[string, string], number>('SELECT id FROM documents WHERE source = ? AND path = ?')
    .pluck();
  const deleteTexts = database.prepare(
    'DELETE FROM chunks_fts WHERE rowid IN (SELECT id FROM chunks WHERE document_id = ?)',
  );
  const deleteChunks = database.prepare('DELETE FROM chunks WHERE document_id = ?');
  const deleteDocument = database.prepare('DELETE FROM documents WHERE id = ?');
  const updateDocument = database.prepare(
    `UPDATE documents SET size = ?, mtime_ms = ?, ctime_ms = ?, indexed_ms = ?
     WHERE source = ? AND path = ?`,
  );
  const insertDocument = database.prepare(
    `INSERT INTO documents (source, path, size, mtime_ms, ctime_ms, hash, indexed_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const insertChunk = database.prepare(
    `INSERT INTO chunks (document_id, start_line, end_line, heading_path, text)
     VALUES (?, ?, ?, ?, ?)`,
  );
  const insertText = database.prepare(
    'INSERT INTO chunks_fts (rowid, text, heading_path, file_name) VALUES (?, ?, ?, ?)',
  );
  return {
    remove({ source, path }) {
      const id = findDocument.get(source, path);
      if (id === undefined) return;
      deleteTexts.run(id);
      deleteChunks.run(id);
      deleteDocument.run(id);
    },
    touch({ source, path, fingerprint }, indexedMs) {
      const { size, mtimeMs, ctimeMs } = fingerprint;
      updateDocument.run(size, mtimeMs, ctimeMs, indexedMs, source, path);
    },
    insert({ source, path, hash, fingerprint, chunks }, indexedMs) {
      const { size, mtimeMs, ctimeMs } = fingerprint;
      const document = insertDocument.run(source, path, size, mtimeMs, ctimeMs, hash, indexedMs);
      const fileName = lexicalText(fileNameWords(path), tokenizer);
      for (const { startLine, endLine, headingPath, text } of chunks) {
        const headings = headingPath.join(HEADING_SEPARATOR);
        const chunk = insertChunk.run(document.lastInsertRowid, startLine, endLine, headings, text);
        insertText.run(
          chunk.lastInsertRowid,
          lexicalText(text, tokenizer),
          lexicalText(headings, tokenizer),
          fileName,
        );
      }
    },
  };
}
