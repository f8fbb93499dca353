import type { DocumentKey, FileFingerprint } from '../types.js';
import type { Connection } from './database.js';
import type { Tokenizer } from './identity.js';
import { fileNameWords, lexicalText } from './lexical-text.js';
import type { Change, IndexedDocument } from './memory-index.js';
import { HEADING_SEPARATOR } from './schema.js';
import type { ChunkChanges } from './vectors/chunk-changes.js';
import { contentHash, mediaContentHash } from './vectors/content-hash.js';

/** Writes documents with their chunks and full-text rows. Transactions are the caller's. */
export interface DocumentWriter {
  /**
   * @param indexedMs when the file was looked at, in milliseconds since the epoch
   * @param chunks is told which chunks come and go
   */
  write(change: Change, indexedMs: number, chunks: ChunkChanges): void;
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
    `INSERT INTO documents
       (source, path, kind, mime_type, size, mtime_ms, ctime_ms, hash, indexed_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const insertChunk = database.prepare(
    `INSERT INTO chunks (document_id, start_line, end_line, hash, heading_path, text)
     VALUES (?, ?, ?, ?, ?, ?)`,
  );
  const insertText = database.prepare(
    'INSERT INTO chunks_fts (rowid, text, heading_path, file_name) VALUES (?, ?, ?, ?)',
  );
  // A contentless full-text table must be told what a row held to take it out: only so do SQLite's
  // counts of rows and words, and with them the scores, come out as if it had never been there.
  const remove = ({ source, path }: DocumentKey, gone: ChunkChanges): void => {
    const id = findDocument.get(source, path);
    if (id === undefined) return;
    const fileName = lexicalText(fileNameWords(path), tokenizer);
    for (const { id: chunkId, text, headings } of findChunks.all(id)) {
      const texts = [lexicalText(text, tokenizer), lexicalText(headings, tokenizer)] as const;
      deleteText.run(chunkId, ...texts, fileName);
    }
    gone.removing(id);
    deleteChunks.run(id);
    deleteDocument.run(id);
  };
  const touch = (key: DocumentKey, fingerprint: FileFingerprint, indexedMs: number): void => {
    const { size, mtimeMs, ctimeMs } = fingerprint;
    updateDocument.run(size, mtimeMs, ctimeMs, indexedMs, key.source, key.path);
  };
  const insert = (document: IndexedDocument, indexedMs: number, come: ChunkChanges): void => {
    const { source, path, kind, mimeType, hash: fileHash, fingerprint, chunks } = document;
    const { size, mtimeMs, ctimeMs } = fingerprint;
    const what = [source, path, kind, mimeType ?? null] as const;
    const row = insertDocument.run(...what, size, mtimeMs, ctimeMs, fileHash, indexedMs);
    // Of a medium the file is embedded, not the words it is found by.
    const media = mimeType === undefined ? undefined : mediaContentHash(mimeType, fileHash);
    const fileName = lexicalText(fileNameWords(path), tokenizer);
    for (const { startLine, endLine, headingPath, text } of chunks) {
      const headings = headingPath.join(HEADING_SEPARATOR);
      const hash = media ?? (come.needsHashes ? contentHash(headings, text) : null);
      const at = [row.lastInsertRowid, startLine, endLine] as const;
      const chunk = insertChunk.run(...at, hash, headings, text);
      come.inserted(Number(chunk.lastInsertRowid));
      const texts = [lexicalText(text, tokenizer), lexicalText(headings, tokenizer)] as const;
      insertText.run(chunk.lastInsertRowid, ...texts, fileName);
    }
  };
  return {
    write(change, indexedMs, changes) {
      switch (change.type) {
        case 'remove':
          remove(change.key, changes);
          break;
        case 'touch':
          touch(change.key, change.fingerprint, indexedMs);
          break;
        case 'put':
          remove(change.document, changes);
          insert(change.document, indexedMs, changes);
      }
    },
  };
}

interface StoredChunk {
  readonly id: number;
  readonly headings: string;
  readonly text: string;
}
