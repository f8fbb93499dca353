import type { Connection } from '../../../sqlite/database.js';
import type { Tokenizer } from '../identity.js';
import { COLUMN_WEIGHTS, FULL_TEXT_TOKENIZERS } from '../lexical-text.js';

/** Marks the file as ours in SQLite's header ("svci"). */
export const APPLICATION_ID = 0x73766369;

/**
 * FTS5's `automerge`: how many full-text segments of a size are merged as rows are added (0 leaves it to the
 * crisis merge at 16). During a build, merging would be repeated for every batch.
 */
export const AUTOMERGE = { building: 0, normal: 4 } as const;

/** Adds a row to the full-text index: the id of its chunk, then the columns of `columnTexts`. */
export const INSERT_TEXT =
  'INSERT INTO chunks_fts (rowid, text, heading_path, parts, file_name) VALUES (?, ?, ?, ?, ?)';

/** Sets `automerge`, which is stored in the database. */
export function setAutomerge(database: Connection, segments: number): void {
  database.exec(`INSERT INTO chunks_fts (chunks_fts, rank) VALUES ('automerge', ${segments})`);
}

/**
 * The index database. It is a cache of the files.
 *
 * `chunks_fts` is contentless: the text is stored once, in `chunks`, and full-text columns may differ from it
 * (see lexical-text.ts). The porter stemmer on top of unicode61 lets "backups" find "backup". The column `parts`
 * has what words are composed of (see word-parts.ts).
 *
 * `documents.language` is the language that its words are stemmed in; null for English.
 *
 * `documents.resume` is where reading a transcript resumes (see load-transcript.ts); `chunks.line_numbers`
 * maps a chunk's lines to file lines where they are not consecutive.
 *
 * `documents.facts` is what a note says about itself, and `documents.links` what it links to, as JSON (see
 * note-facts.ts and note-links.ts).
 *
 * `chunks.first_day` and `last_day` are what the chunk's name or headings date it to (see chunk-days.ts).
 *
 * `chunks.hash` identifies a chunk's content for its vector (see content-hash.ts). It is filled, and indexed,
 * only once there are vectors or about to be: hashing takes 6 % of the time of an index without any.
 */
export function schemaSql(tokenizer: Tokenizer): string {
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
      language TEXT,
      size INTEGER NOT NULL,
      mtime_ms REAL NOT NULL,
      ctime_ms REAL NOT NULL,
      hash TEXT NOT NULL,
      indexed_ms INTEGER NOT NULL,
      resume TEXT,
      facts TEXT,
      links TEXT,
      UNIQUE (source, path)
    ) STRICT;
    CREATE TABLE chunks (
      id INTEGER PRIMARY KEY,
      document_id INTEGER NOT NULL REFERENCES documents (id),
      start_line INTEGER NOT NULL,
      end_line INTEGER NOT NULL,
      hash BLOB,
      heading_path TEXT NOT NULL,
      first_day INTEGER,
      last_day INTEGER,
      text TEXT NOT NULL,
      line_numbers TEXT
    ) STRICT;
    CREATE INDEX chunks_by_document ON chunks (document_id);
    CREATE INDEX chunks_by_day ON chunks (first_day, last_day) WHERE first_day IS NOT NULL;
    CREATE VIRTUAL TABLE chunks_fts USING fts5 (
      ${Object.keys(COLUMN_WEIGHTS).join(', ')},
      content = '', tokenize = '${FULL_TEXT_TOKENIZERS[tokenizer]}'
    );
    ${VECTOR_TABLES}
  `;
}

/**
 * The tables of vectors.
 *
 * A row of `embeddings` belongs to content (`hash`, see content-hash.ts), not to a chunk: chunks with equal text
 * and headings share it, and it survives rewrites, renames and rebuilds. Its column `vector` has one vector for
 * each piece of the content, see vector-bytes.ts. `spaces` has one row per embedding identity; vectors
 * of different spaces are never compared. `cached_embeddings`, not a column of `embeddings`, records that a
 * vector is unused, because updating a column would rewrite the whole vector.
 *
 * - `spaces.whole_to`: every chunk up to this id has a vector here.
 * - `spaces.in_use`: 0 for an abandoned identity, whose vectors are all in the cache.
 * - `cached_embeddings`: vectors that no chunk uses, and since when.
 * - `refused_contents`: content that a provider refuses, so that it is not sent again. By identity, because there
 *   may be no space yet. Dropped by a rebuild.
 * - `freed_hashes`: content of deleted chunks, for the next tidying.
 * - `uncoded`: vectors in use that are compared one by one: those of a small space, and the newest.
 * - `code_pages`: short codes of the others, see sign-codes.ts, and of some unused ones.
 * - `batch_jobs`: jobs at a provider that have not been collected.
 */
const VECTOR_TABLES = `
    CREATE TABLE spaces (
      id INTEGER PRIMARY KEY,
      identity TEXT NOT NULL UNIQUE,
      dimensions INTEGER NOT NULL,
      in_use INTEGER NOT NULL DEFAULT 1,
      whole_to INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE TABLE embeddings (
      id INTEGER PRIMARY KEY,
      space_id INTEGER NOT NULL REFERENCES spaces (id),
      hash BLOB NOT NULL,
      vector BLOB NOT NULL,
      UNIQUE (space_id, hash)
    ) STRICT;
    CREATE TABLE cached_embeddings (
      embedding_id INTEGER PRIMARY KEY REFERENCES embeddings (id),
      released_ms INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX cached_embeddings_by_age ON cached_embeddings (released_ms, embedding_id);
    CREATE TABLE uncoded (
      space_id INTEGER NOT NULL,
      embedding_id INTEGER NOT NULL,
      PRIMARY KEY (space_id, embedding_id)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE code_pages (
      id INTEGER PRIMARY KEY,
      space_id INTEGER NOT NULL,
      codes BLOB NOT NULL
    ) STRICT;
    CREATE INDEX code_pages_by_space ON code_pages (space_id);
    CREATE TABLE refused_contents (
      identity TEXT NOT NULL,
      hash BLOB NOT NULL,
      why TEXT NOT NULL,
      PRIMARY KEY (identity, hash)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE freed_hashes (hash BLOB PRIMARY KEY) STRICT, WITHOUT ROWID;
    CREATE TABLE batch_jobs (
      id TEXT PRIMARY KEY,
      identity TEXT NOT NULL,
      json TEXT NOT NULL,
      created_ms INTEGER NOT NULL
    ) STRICT;`;
