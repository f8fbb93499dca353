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
  const findChunks = database.prepare<[number], StoredChunk>(
    'SELECT id, heading_path AS headings, text FROM chunks WHERE document_id = ?',
  );
  const deleteText = database.prepare(
    `INSERT INTO chunks_fts (chunks_fts, rowid, text, heading_path, file_name)
     VALUES ('delete', ?, ?, ?, ?)`,
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
      for (const { id: chunkId, text, headings } of findChunks.all(id)) {
        deleteText.run(chunkId, ...fullText(text, headings, path, tokenizer));
      }
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
      for (const { startLine, endLine, headingPath, text } of chunks) {
        const headings = headingPath.join(HEADING_SEPARATOR);
        const chunk = insertChunk.run(document.lastInsertRowid, startLine, endLine, headings, text);
        insertText.run(chunk.lastInsertRowid, ...fullText(text, headings, path, tokenizer));
      }
    },
  };
}

interface StoredChunk {
  readonly id: number;
  readonly headings: string;
  readonly text: string;
}

/**
 * What a chunk's full-text columns hold. Taking a chunk out of the index needs the very same again:
 * only so do SQLite's counts of rows and words, and with them the scores, come out as in an index
 * that never held it.
 */
function fullText(
  text: string,
  headings: string,
  path: string,
  tokenizer: Tokenizer,
): [text: string, headings: string, fileName: string] {
  return [
    lexicalText(text, tokenizer),
    lexicalText(headings, tokenizer),
    lexicalText(fileNameWords(path), tokenizer),
  ];
}
