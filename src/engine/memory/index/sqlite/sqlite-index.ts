import { accessSync, constants, readFileSync, rmSync } from 'node:fs';
import { messageOf, systemErrorCode } from '../../../errors/index.js';
import {
  type Connection,
  closeWriter,
  createDatabase,
  databaseFault,
  inWriteTransaction,
  openDatabase,
  openDatabaseBytes,
  sqliteDriver,
} from '../../../sqlite/database.js';
import { queryRows, runSql } from '../../../sqlite/query.js';
import type { ForgottenPlace } from '../../types.js';
import type { CandidateFilter } from '../candidates.js';
import { type IndexIdentity, newerComplaint, SCHEMA_VERSION } from '../identity.js';
import type { BatchJob, MemoryIndex } from '../memory-index.js';
import { lazyVectors } from '../vector-index.js';
import {
  asIndexError,
  DamagedMetaError,
  indexHeader,
  isUnchanged,
  readIdentity,
  readVersion,
  statIndex,
} from './index-file.js';
import {
  applyFilter,
  type Filtered,
  type FilterResult,
  hasDocuments,
  keywordQueries,
} from './lexical-candidates.js';
import { documentQueries, readMeta, writeMeta } from './read-documents.js';
import { APPLICATION_ID, AUTOMERGE, schemaSql, setAutomerge } from './schema.js';
import { copyEmbeddings } from './vectors/copy-embeddings.js';
import { DEFAULT_VECTOR_SETTINGS, type VectorSettings } from './vectors/extension.js';

export type OpenedIndex<Index extends MemoryIndex = SqliteIndex> =
  | { readonly state: 'ready'; readonly index: Index; readonly identity: IndexIdentity }
  | { readonly state: 'missing' }
  /** Damaged, of an older version or not an index; the next sync rebuilds it. `why` is a clause for people. */
  | { readonly state: 'unusable'; readonly why: string }
  /** Written by a newer svc; only rebuilt when forced. */
  | { readonly state: 'newer'; readonly why: string };

/** How long to wait for a lock inside the database; milliseconds. */
const BUSY_TIMEOUT_MS = 5000;
/** While one process embeds, another may mirror files, or rewrite the file to erase what was forgotten. */
const WRITE_BUSY_TIMEOUT_MS = 30_000;

/**
 * Opens an index for reading, or for the holder of one of its locks to write.
 *
 * @param writeWaitMs the longest time to wait for another connection that writes: nothing else runs meanwhile, and no
 *   time limit ends it
 * @throws SvcError INDEX_*, SQLITE_UNUSABLE
 */
export function openIndex(
  file: string,
  access: 'read' | 'write',
  vectors: VectorSettings = DEFAULT_VECTOR_SETTINGS,
  writeWaitMs = WRITE_BUSY_TIMEOUT_MS,
): OpenedIndex {
  // Without SQLite, a missing index cannot be built either.
  sqliteDriver();
  if (statIndex(file) === undefined) return { state: 'missing' };
  let database: Connection | undefined;
  try {
    const busyTimeoutMs = Math.min(writeWaitMs, WRITE_BUSY_TIMEOUT_MS);
    database =
      access === 'write'
        ? openDatabase(file, { readonly: false, busyTimeoutMs })
        : openForReading(file);
    const version = readVersion(database);
    if (version !== SCHEMA_VERSION) {
      database.close();
      return ofOtherVersion(file, version);
    }
    const identity = readIdentity(database);
    const newer = newerComplaint(identity);
    if (newer !== undefined) {
      database.close();
      return { state: 'newer', why: newer };
    }
    // Only once it is known to be ours: the setting is stored in the file.
    if (access === 'write') {
      database.pragma('journal_mode = WAL');
      // A power failure may lose the latest transactions of a cache, but not corrupt it.
      database.pragma('synchronous = NORMAL');
    }
    const index = createSqliteIndex(database, { identity, file, vectors, access });
    return { state: 'ready', index, identity };
  } catch (error) {
    database?.close();
    if (databaseFault(error) === 'corrupt' || error instanceof DamagedMetaError) {
      return { state: 'unusable', why: foreignOr(file, damageComplaint(error)) };
    }
    throw asIndexError(error, file);
  }
}

/** Why a damaged index is unusable, as a clause for people. */
export function damageComplaint(error: unknown): string {
  return `it is damaged (${messageOf(error)})`;
}

/**
 * Creates an empty index at an unused path; removes the file again on failure. Not crash-safe until {@link
 * SqliteIndex.seal}.
 */
export function createIndex(file: string, identity: IndexIdentity): SqliteIndex {
  const database = createDatabase(file, BUSY_TIMEOUT_MS);
  try {
    // Nobody reads the file before it is published, and a crash only leaves a stray file.
    database.pragma('journal_mode = OFF');
    database.pragma('synchronous = OFF');
    database.pragma('locking_mode = EXCLUSIVE');
    database.pragma(`cache_size = -${BUILD_CACHE_KIB}`);
    database.exec(schemaSql(identity.tokenizer));
    setAutomerge(database, AUTOMERGE.building);
    database.pragma(`application_id = ${APPLICATION_ID}`);
    database.pragma(`user_version = ${SCHEMA_VERSION}`);
    const insert = database.prepare('INSERT INTO meta (key, value) VALUES (?, ?)');
    for (const [key, value] of Object.entries(identity)) insert.run(key, String(value));
  } catch (error) {
    database.close();
    for (const suffix of ['', '-journal']) rmSync(file + suffix, { force: true });
    throw error;
  }
  return createSqliteIndex(database, { identity, file, vectors: DEFAULT_VECTOR_SETTINGS });
}

/** More makes building no faster: full-text segments are written once and merged in order. */
const BUILD_CACHE_KIB = 2 * 1024;

function openForReading(file: string): Connection {
  const options = { readonly: true, busyTimeoutMs: BUSY_TIMEOUT_MS };
  try {
    const database = openDatabase(file, options);
    // The first read fails if WAL's side files cannot be created.
    database.pragma('user_version');
    return database;
  } catch (error) {
    // After a kill, a log can end after its header. SQLite recovers it only with permission to write.
    const needsRecovery = systemErrorCode(error) === 'SQLITE_PROTOCOL' && !canWrite(file);
    const fault = databaseFault(error);
    if (fault !== 'unwritable' && fault !== 'disk_full' && !needsRecovery) throw error;
    // A WAL database cannot be opened in a read-only folder, but its bytes can: they are read into memory with the
    // header's two version fields set to "rollback journal" (https://sqlite.org/fileformat2.html, §1.3.3).
    return openDatabaseBytes(readFileSync(file).fill(1, 18, 20));
  }
}

function canWrite(file: string): boolean {
  try {
    accessSync(file, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function ofOtherVersion(file: string, schemaVersion: number): OpenedIndex {
  const newer = newerComplaint({ schemaVersion, chunkerVersion: 0 });
  if (newer !== undefined) return { state: 'newer', why: newer };
  const older = `it was written by an older svc (format ${schemaVersion}, now ${SCHEMA_VERSION})`;
  return { state: 'unusable', why: foreignOr(file, older) };
}

/** The complaint, unless the file is empty, or something else, which a new index does not delete. */
function foreignOr(file: string, complaint: string): string {
  const header = indexHeader(file);
  if (header === 'empty') return 'it is empty';
  return header === 'foreign'
    ? 'it is not an svc index; it is kept with the suffix .replaced'
    : complaint;
}

/** The index as a SQLite database, see schema.ts. */
export type SqliteIndex = ReturnType<typeof createSqliteIndex>;

interface SqliteIndexOptions {
  readonly identity: IndexIdentity;
  readonly file: string;
  readonly vectors: VectorSettings;
  /** For `write`, others can read the file while it is closed; `read` by default. */
  readonly access?: 'read' | 'write';
}

/** The index in an open file. Closing it closes the connection. */
function createSqliteIndex(
  database: Connection,
  { identity, file, vectors: vectorSettings, access = 'read' }: SqliteIndexOptions,
) {
  // A search asks several questions with one filter. Each search has a filter of its own.
  const filterResults = new WeakMap<CandidateFilter, FilterResult | 'all'>();
  const filtered: Filtered = (filter = {}) => {
    const known = filterResults.get(filter) ?? applyFilter(database, filter) ?? 'all';
    filterResults.set(filter, known);
    return known === 'all' ? undefined : known;
  };
  const index: MemoryIndex = {
    view: async () => index,
    identity: async () => identity,
    hasDocuments: async (source) => hasDocuments(database, source),
    ...documentQueries(database, file),
    apply: async (changes) => {
      // A process that only searches never loads the writer.
      const { writeChanges } = await import('./write-changes.js');
      inWriteTransaction(database, () => writeChanges(database, identity.tokenizer, changes));
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
    close: () => (access === 'write' ? closeWriter(database) : database.close()),
  };
  return {
    ...index,
    /** Whether the file is still the index that was opened: another process may have replaced it. */
    isCurrent: () => isUnchanged(database, identity),
    /** For rebuilds: copies the vectors of another index file; see copy-embeddings.ts. */
    copyEmbeddings: (fromFile: string, rename?: (identity: string) => string) =>
      copyEmbeddings(database, fromFile, rename),
    /** All vectors as they are stored, to copy them from or to another store. */
    packedStore: async () => (await vectors()).packedStore(database),
    /** The mark of the forget list by which its files were read; empty if there was none. */
    forgetListMark: () => readMeta(database, FORGET_LIST) ?? '',
    /** Records the forget list by which files are read from now on. @param mark see forgetMark */
    noteForgetList: (mark: string) => writeMeta(database, FORGET_LIST, mark),
    /** Makes the next sync read every file again, and then scrub. Passages at these places are gone at once. */
    requestScrub: async (places: readonly ForgottenPlace[] = []) =>
      (await import('./scrub.js')).requestScrub(database, identity.tokenizer, places),
    /** Whether a scrub was requested and has not completed. */
    isScrubRequested: () => readMeta(database, 'scrub') !== undefined,
    /** Erases deleted bytes from the file, and every unused vector. */
    scrub: async (atMs: number) =>
      (await import('./scrub.js')).scrub(database, identity.tokenizer, atMs),
    /** Records in a build that what it replaces was to be scrubbed. */
    noteScrub: () => writeMeta(database, 'scrub', '1'),
    /** Finishes a build so that other connections can open the file, and closes this one. */
    seal: () => {
      setAutomerge(database, AUTOMERGE.normal);
      database.pragma('locking_mode = NORMAL');
      database.pragma('journal_mode = WAL');
      database.close();
    },
  };
}

const vectors = () => import('./vectors/index.js');

/** The key of the mark of the forget list. */
const FORGET_LIST = 'forget_list';
