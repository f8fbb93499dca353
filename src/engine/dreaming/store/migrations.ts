/** Steps from an empty database to the present one, in order; a released step never changes. */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE entries (
    key TEXT PRIMARY KEY,
    text TEXT NOT NULL,
    source TEXT NOT NULL,
    path TEXT NOT NULL,
    start_line INTEGER NOT NULL,
    end_line INTEGER NOT NULL,
    recall_count INTEGER NOT NULL,
    daily_count INTEGER NOT NULL,
    grounded_count INTEGER NOT NULL,
    total_score REAL NOT NULL,
    max_score REAL NOT NULL,
    first_signal_ms INTEGER NOT NULL,
    last_signal_ms INTEGER NOT NULL,
    query_hashes TEXT NOT NULL,
    days TEXT NOT NULL,
    tags TEXT NOT NULL,
    light_hits INTEGER NOT NULL,
    light_last_ms INTEGER,
    rem_hits INTEGER NOT NULL,
    rem_last_ms INTEGER,
    fate TEXT NOT NULL,
    fate_ms INTEGER,
    fate_sweep TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX entries_by_path ON entries (path);
  CREATE INDEX entries_by_last_signal ON entries (last_signal_ms);

  -- What a light phase counted already, so that a second sweep of a day counts nothing again.
  CREATE TABLE daily_signals (
    day TEXT NOT NULL,
    path TEXT NOT NULL,
    key TEXT NOT NULL,
    PRIMARY KEY (day, path, key)
  ) STRICT, WITHOUT ROWID;

  -- How far the log of recalls was read: the file's own number and the bytes of it.
  CREATE TABLE inbox (
    file TEXT PRIMARY KEY,
    bytes INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- What backfills added to claims, so that each can be taken back.
  CREATE TABLE backfills (
    id TEXT NOT NULL,
    key TEXT NOT NULL,
    signals INTEGER NOT NULL,
    score REAL NOT NULL,
    -- The claim's row before (null when it was not known) and after, as JSON.
    before_row TEXT,
    after_row TEXT NOT NULL,
    PRIMARY KEY (id, key)
  ) STRICT, WITHOUT ROWID;

  -- Up to when the schedule was kept: what was due since then has been missed.
  CREATE TABLE schedule (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    kept_until_ms INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE sweeps (
    id TEXT PRIMARY KEY,
    day TEXT NOT NULL,
    trigger TEXT NOT NULL,
    started_ms INTEGER NOT NULL,
    ended_ms INTEGER,
    phases TEXT NOT NULL,
    -- null: MEMORY.md was not touched; planned: about to be; applied; undone.
    memory_state TEXT,
    -- Digests of MEMORY.md around the change, and where the text before it is kept.
    before_digest TEXT,
    after_digest TEXT,
    backup_file TEXT,
    operations TEXT NOT NULL DEFAULT '[]',
    promoted TEXT NOT NULL DEFAULT '[]'
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX sweeps_by_start ON sweeps (started_ms);
  `,
];
