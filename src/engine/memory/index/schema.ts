import type { Connection } from '../../sqlite/database.js';
import type { Tokenizer } from './identity.js';
import { VECTOR_TABLES } from './vectors/tables.js';

/** Joins a heading path in its column; no Markdown heading holds a line end. */
export const HEADING_SEPARATOR = '\n';

/** Marks the file as one of ours in SQLite's header ("svci"). */
export const APPLICATION_ID = 0x73766369;

/**
 * How many full-text segments of a size are merged as rows come in (FTS5's `automerge`; 0 leaves it
 * to the crisis merge at 16). While building, the merging would be done again with every batch.
 */
export const AUTOMERGE = { building: 0, normal: 4 } as const;

/** Sets one of {@link AUTOMERGE}; it is kept in the database. */
export function setAutomerge(database: Connection, segments: number): void {
  database.exec(`INSERT INTO chunks_fts (chunks_fts, rank) VALUES ('automerge', ${segments})`);
}

/**
 * The index database. It is a cache: nothing in it that the files do not say.
 *
 * `chunks_fts` stores no text of its own (contentless): the text stands once, in `chunks`, and the
 * full-text columns may then differ from it (see lexical-text.ts). The porter stemmer sits on top of
 * unicode61 so that "backups" finds "backup".
 *
 * `documents.resume` says where the reading of a transcript goes on (see sync/resume-point.ts), and
 * `chunks.line_numbers` which line of the file each line of a chunk is, where they do not follow each other.
 *
 * `chunks.hash` names a chunk's content for its vector (see vectors/content-hash.ts). It is there, with
 * an index, as soon as the first vector is, or is going to be: hashing takes 6 % of the time of an index without any.
 */
export function schemaSql(tokenizer: Tokenizer): string {
  const tokenize =
    tokenizer === 'trigram'
      ? 'trigram case_sensitive 0 remove_diacritics 1'
      : 'porter unicode61 remove_diacritics 2';
  return `
    CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE tree (paths TEXT NOT NULL, fingerprints BLOB NOT NULL) STRICT;
    CREATE TABLE skipped (path TEXT NOT NULL, reason TEXT NOT NULL, detail TEXT) STRICT;
    CREATE TABLE documents (
      id INTEGER PRIMARY KEY,
      source TEXT NOT NULL,
      path TEXT NOT NULL,
      kind TEXT NOT NULL,
      mime_type TEXT,
      size INTEGER NOT NULL,
      mtime_ms REAL NOT NULL,
      ctime_ms REAL NOT NULL,
      hash TEXT NOT NULL,
      indexed_ms INTEGER NOT NULL,
      resume TEXT,
      UNIQUE (source, path)
    ) STRICT;
    CREATE TABLE chunks (
      id INTEGER PRIMARY KEY,
      document_id INTEGER NOT NULL REFERENCES documents (id),
      start_line INTEGER NOT NULL,
      end_line INTEGER NOT NULL,
      hash BLOB,
      heading_path TEXT NOT NULL,
      text TEXT NOT NULL,
      line_numbers TEXT
    ) STRICT;
    CREATE INDEX chunks_by_document ON chunks (document_id);
    CREATE VIRTUAL TABLE chunks_fts USING fts5 (
      text, heading_path, file_name,
      content = '', tokenize = '${tokenize}'
    );
    ${VECTOR_TABLES}
  `;
}
