import { type Connection, closeWriter } from '../../../sqlite/database.js';
import { queryRows, runSql } from '../../../sqlite/query.js';
import type { CandidateFilter } from '../candidates.js';
import type { PackedStore } from '../embedding-records.js';
import type { IndexIdentity } from '../identity.js';
import type { BatchJob, MemoryIndex } from '../memory-index.js';
import { lazyVectors } from '../vector-index.js';
import { isUnchanged } from './index-file.js';
import {
  applyFilter,
  type Filtered,
  type FilterResult,
  hasDocuments,
  keywordQueries,
} from './lexical-candidates.js';
import { documentQueries, readMeta, writeMeta } from './read-documents.js';
import { AUTOMERGE, setAutomerge } from './schema.js';
import { copyEmbeddings } from './vectors/copy-embeddings.js';
import type { VectorSettings } from './vectors/extension.js';

/** The index as a SQLite database, see schema.ts. */
export interface SqliteIndex extends MemoryIndex {
  /** Whether the file is still the index that was opened: another process may have replaced it. */
  isCurrent(): boolean;

  /** For rebuilds: copies the vectors of another index file; see copy-embeddings.ts. */
  copyEmbeddings(fromFile: string, rename?: (identity: string) => string): void;

  /** All vectors as they are stored, to copy them from or to another store. */
  packedStore(): Promise<PackedStore>;

  /** The mark of the forget list by which its files were read; empty if there was none. */
  forgetListMark(): string;

  /** Records the forget list by which files are read from now on. @param mark see forgetMark */
  noteForgetList(mark: string): void;

  /** Makes the next sync read every file again, and then scrub. */
  requestScrub(): Promise<void>;

  /** Whether a scrub was requested and has not completed. */
  isScrubRequested(): boolean;

  /** Erases deleted bytes from the file, and every unused vector. */
  scrub(atMs: number): Promise<void>;

  /** Finishes a build so that other connections can open the file, and closes this one. */
  seal(): void;
}

interface SqliteIndexOptions {
  readonly identity: IndexIdentity;
  readonly file: string;
  readonly vectors: VectorSettings;
  /** For `write`, others can read the file while it is closed; `read` by default. */
  readonly access?: 'read' | 'write';
}

/** The index in an open file. Closing it closes the connection. */
export function createSqliteIndex(
  database: Connection,
  { identity, file, vectors: vectorSettings, access = 'read' }: SqliteIndexOptions,
): SqliteIndex {
  // A search asks several questions with one filter. Each search has a filter of its own.
  const filterResults = new WeakMap<CandidateFilter, FilterResult | 'all'>();
  const filtered: Filtered = (filter = {}) => {
    const known = filterResults.get(filter) ?? applyFilter(database, filter) ?? 'all';
    filterResults.set(filter, known);
    return known === 'all' ? undefined : known;
  };
  const index: SqliteIndex = {
    view: async () => index,
    identity: async () => identity,
    hasDocuments: async (source) => hasDocuments(database, source),
    ...documentQueries(database, file),
    apply: async (changes) => {
      // A process that only searches never loads the writer.
      const { writeChanges } = await import('./write-changes.js');
      database.transaction(() => writeChanges(database, identity.tokenizer, changes))();
    },
    ...keywordQueries(database, filtered),
    ...lazyVectors(async () => (await vectors()).vectorPart(database, filtered, vectorSettings)),
    batchJobs: async (identity) =>
      queryRows<BatchJob>(
        database,
        `SELECT id, identity, json, created_ms AS createdMs FROM batch_jobs
         WHERE identity = coalesce(?, identity) ORDER BY created_ms, id`,
        identity ?? null,
      ),
    saveBatchJob: async ({ id, identity, json, createdMs }) => {
      const sql = 'INSERT OR REPLACE INTO batch_jobs VALUES (?, ?, ?, ?)';
      runSql(database, sql, id, identity, json, createdMs);
    },
    removeBatchJob: async (id) => {
      runSql(database, 'DELETE FROM batch_jobs WHERE id = ?', id);
    },
    isCurrent: () => isUnchanged(database, identity),
    copyEmbeddings: (...from) => copyEmbeddings(database, ...from),
    packedStore: async () => (await vectors()).packedStore(database),
    forgetListMark: () => readMeta(database, FORGET_LIST) ?? '',
    noteForgetList: (mark) => writeMeta(database, FORGET_LIST, mark),
    requestScrub: async () => (await import('./scrub.js')).requestScrub(database),
    isScrubRequested: () => readMeta(database, 'scrub') !== undefined,
    scrub: async (atMs) => (await import('./scrub.js')).scrub(database, atMs),
    seal: () => {
      setAutomerge(database, AUTOMERGE.normal);
      database.pragma('locking_mode = NORMAL');
      database.pragma('journal_mode = WAL');
      database.close();
    },
    close: () => (access === 'write' ? closeWriter(database) : database.close()),
  };
  return index;
}

const vectors = () => import('./vectors/index.js');

/** The key of the mark of the forget list. */
const FORGET_LIST = 'forget_list';
