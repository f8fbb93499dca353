/**
 * The tables of memories.
 *
 * `memories` has one row for each agent id. It is locked by whoever writes the memory, which keeps its totals exact
 * and its chunk ids without gaps; they are never used again. `revision` changes with everything that searches see.
 *
 * `origins` are the hosts that index files into a memory, each with its own documents, settings and mark of the last
 * sync, which has the hashes of what its scan saw.
 *
 * `documents.chunk_ids`: the ids of its chunks, which are consecutive unless it was appended to.
 *
 * Keyword search: `terms` has the frequency of each term and its newest postings, `postings` the older ones, in rows
 * that are never changed; the bytes are described in posting-bytes.ts. `chunk_lengths` has the number of words of each
 * chunk in two bytes, 512 chunks a row. It is 0 for a deleted chunk, which stays in the postings until they are
 * compacted. The columns of bytes are not compressed: they would only get slower.
 *
 * Vectors: `spaces` has one row for each embedding identity, `embeddings` the vectors of contents, shared by all
 * memories, `embedding_codes` a bit for each dimension of them, the sign: a table of its own, because comparing all
 * codes must not read the vectors. `memory_spaces` has which memory uses which vectors, and up to which chunk id each has one.
 * `unused_embeddings`: vectors of texts that no memory has, and since when. `embedding_claims`: contents that a host
 * is embedding now, so that no other pays for them too.
 */
export const MEMORY_TABLES = `
CREATE TABLE svc.memories (
  id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  agent text NOT NULL UNIQUE,
  tokenizer text NOT NULL,
  revision bigint NOT NULL DEFAULT 0,
  next_chunk int NOT NULL DEFAULT 1,
  chunks int NOT NULL DEFAULT 0,
  words bigint NOT NULL DEFAULT 0,
  dead_chunks int NOT NULL DEFAULT 0,
  languages text NOT NULL DEFAULT '',
  sources text NOT NULL DEFAULT '',
  has_media boolean NOT NULL DEFAULT false
);
CREATE TABLE svc.origins (
  id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  memory int NOT NULL REFERENCES svc.memories (id) ON DELETE CASCADE,
  name text NOT NULL,
  identity text NOT NULL,
  synced_ms bigint,
  tree_paths bytea,
  tree_fingerprints bytea,
  skipped text NOT NULL DEFAULT '[]',
  seen_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  UNIQUE (memory, name)
);
CREATE TABLE svc.documents (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  memory int NOT NULL,
  origin int NOT NULL REFERENCES svc.origins (id),
  source text NOT NULL,
  path text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  mime_type text,
  language text,
  size bigint NOT NULL,
  mtime_ms double precision NOT NULL,
  ctime_ms double precision NOT NULL,
  hash text NOT NULL,
  indexed_ms bigint NOT NULL,
  resume text,
  chunk_ids int4multirange NOT NULL,
  UNIQUE (memory, origin, source, path)
);
CREATE TABLE svc.chunks (
  memory int NOT NULL,
  id int NOT NULL,
  document bigint NOT NULL,
  start_line int NOT NULL,
  end_line int NOT NULL,
  hash bytea NOT NULL,
  headings text NOT NULL,
  first_day int,
  last_day int,
  text text NOT NULL,
  line_numbers text,
  PRIMARY KEY (memory, id)
);
CREATE INDEX chunks_by_hash ON svc.chunks (hash, memory);
CREATE INDEX chunks_by_day ON svc.chunks (memory, first_day, last_day) WHERE first_day IS NOT NULL;
CREATE TABLE svc.terms (
  memory int NOT NULL,
  term text COLLATE "C" NOT NULL,
  chunks int NOT NULL,
  hits bytea NOT NULL,
  places bytea NOT NULL,
  PRIMARY KEY (memory, term)
) WITH (fillfactor = 80);
CREATE TABLE svc.postings (
  memory int NOT NULL,
  term text COLLATE "C" NOT NULL,
  part int NOT NULL,
  hits bytea NOT NULL,
  places bytea NOT NULL,
  PRIMARY KEY (memory, term, part)
);
CREATE TABLE svc.chunk_lengths (
  memory int NOT NULL,
  page int NOT NULL,
  lengths bytea NOT NULL,
  PRIMARY KEY (memory, page)
);
ALTER TABLE svc.terms ALTER hits SET STORAGE EXTERNAL, ALTER places SET STORAGE EXTERNAL;
ALTER TABLE svc.postings ALTER hits SET STORAGE EXTERNAL, ALTER places SET STORAGE EXTERNAL;
ALTER TABLE svc.chunk_lengths ALTER lengths SET STORAGE EXTERNAL;
CREATE TABLE svc.spaces (
  id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  identity text NOT NULL UNIQUE,
  dimensions int NOT NULL
);
CREATE TABLE svc.memory_spaces (
  memory int NOT NULL REFERENCES svc.memories (id) ON DELETE CASCADE,
  space int NOT NULL REFERENCES svc.spaces (id) ON DELETE CASCADE,
  whole_to int NOT NULL DEFAULT 0,
  PRIMARY KEY (memory, space)
);
CREATE TABLE svc.embeddings (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  space int NOT NULL REFERENCES svc.spaces (id) ON DELETE CASCADE,
  hash bytea NOT NULL,
  vector bytea NOT NULL,
  UNIQUE (space, hash)
);
ALTER TABLE svc.embeddings ALTER vector SET STORAGE EXTERNAL;
CREATE TABLE svc.embedding_codes (
  embedding bigint PRIMARY KEY REFERENCES svc.embeddings (id) ON DELETE CASCADE,
  space int NOT NULL,
  code bit varying NOT NULL
);
CREATE TABLE svc.unused_embeddings (
  embedding bigint PRIMARY KEY REFERENCES svc.embeddings (id) ON DELETE CASCADE,
  released_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX unused_embeddings_by_age ON svc.unused_embeddings (released_at, embedding);
CREATE TABLE svc.refused_contents (
  identity text NOT NULL,
  hash bytea NOT NULL,
  why text NOT NULL,
  PRIMARY KEY (identity, hash)
);
CREATE TABLE svc.embedding_claims (
  identity text NOT NULL,
  hash bytea NOT NULL,
  origin text NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (identity, hash)
);
CREATE TABLE svc.batch_jobs (
  id text PRIMARY KEY,
  memory int NOT NULL REFERENCES svc.memories (id) ON DELETE CASCADE,
  origin text NOT NULL,
  identity text NOT NULL,
  json text NOT NULL,
  created_ms bigint NOT NULL
);
`;

/**
 * What hosts share of a memory besides its index, by agent id.
 *
 * `forgotten`: the entries of the forget list, as JSON without text. `key` identifies what an entry forgets, so that
 * one that a host had before is taken over once, and not again after it was undone. Until it is `cleaned`, the rows
 * of other hosts may still contain the text.
 *
 * `recalls`: the lines of the recall log, numbered without gaps in the order of their commits, so that each sweep can
 * continue where it stopped. `recall_logs.id` distinguishes a log from another one after a database was replaced.
 *
 * `leases`: work that only one host does at a time.
 */
export const SHARING_TABLES = `
CREATE TABLE svc.forgotten (
  agent text NOT NULL,
  key text NOT NULL,
  number int NOT NULL,
  entry text NOT NULL,
  undone boolean NOT NULL DEFAULT false,
  cleaned boolean NOT NULL DEFAULT false,
  PRIMARY KEY (agent, key),
  UNIQUE (agent, number)
);
CREATE TABLE svc.recall_logs (
  agent text PRIMARY KEY,
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  last bigint NOT NULL DEFAULT 1
);
CREATE TABLE svc.recalls (
  agent text NOT NULL,
  number bigint NOT NULL,
  line text NOT NULL,
  recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (agent, number)
);
CREATE TABLE svc.leases (
  name text PRIMARY KEY,
  holder text NOT NULL,
  expires_at timestamptz NOT NULL
);
`;
