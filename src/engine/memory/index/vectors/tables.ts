/**
 * The tables of vectors, a part of the index database.
 *
 * A vector belongs to a content (`hash`, see content-hash.ts), not to a chunk: chunks with the same
 * text under the same headings share it, and it outlives a rewrite, a rename or a rebuild. `spaces`
 * has one row for each embedding identity, and vectors of two spaces never meet. Whether a vector is
 * in use is told by `cached_embeddings` and not by a column of `embeddings`, since changing a column
 * writes the whole vector again.
 *
 * - `spaces.whole_to`: every chunk up to this id has a vector here.
 * - `spaces.in_use`: 0 when the identity was left; all its vectors are then in the cache.
 * - `cached_embeddings`: vectors that are kept although no chunk uses them, and since when.
 * - `refused_contents`: contents that a provider does not take, so that it is not asked for them each
 *   time. By identity and not by space: there may be no vector yet. A rebuild forgets them.
 * - `freed_hashes`: contents of chunks that went away, to be looked at by the next tidying.
 * - `uncoded`: vectors in use that are compared one by one; those of a small space, and the newest.
 * - `code_pages`, `codes`: short codes of the others, see code-page.ts. The codes stand apart, so that
 *   the few bytes beside them can change without them.
 * - `batch_jobs`: jobs at a provider that were sent and not yet fetched.
 */
export const VECTOR_TABLES = `
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
      used INTEGER NOT NULL,
      live INTEGER NOT NULL,
      centre BLOB NOT NULL,
      embedding_ids BLOB NOT NULL,
      scales BLOB NOT NULL,
      offsets BLOB NOT NULL
    ) STRICT;
    CREATE INDEX code_pages_by_space ON code_pages (space_id);
    CREATE TABLE codes (
      page_id INTEGER PRIMARY KEY REFERENCES code_pages (id),
      codes BLOB NOT NULL
    ) STRICT;
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
