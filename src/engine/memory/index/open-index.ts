import { readFileSync, rmSync } from 'node:fs';
import { messageOf } from '../../errors/index.js';
import {
  type Connection,
  createDatabase,
  databaseFault,
  openDatabase,
  openDatabaseBytes,
} from '../../sqlite/database.js';
import { type IndexIdentity, SCHEMA_VERSION } from './identity.js';
import { asIndexError } from './index-error.js';
import { DamagedMetaError, readIdentity, readVersion } from './read-identity.js';
import { APPLICATION_ID, AUTOMERGE, schemaSql, setAutomerge } from './schema.js';
import { SqliteIndex } from './sqlite-index.js';
import { statIndex } from './stat-index.js';
import { DEFAULT_VECTOR_SETTINGS, type VectorSettings } from './vectors/vector-settings.js';

/** What stands at an index's path. */
export type OpenedIndex =
  | { readonly state: 'ready'; readonly index: SqliteIndex; readonly identity: IndexIdentity }
  | { readonly state: 'missing' }
  /** There is a file, but no index of this version in it; `why` is a clause for people. */
  | { readonly state: 'unusable'; readonly why: string };

/** How long a reader or the one writer waits for a lock inside the database; milliseconds. */
const BUSY_TIMEOUT_MS = 5000;
const WRITER = { readonly: false, busyTimeoutMs: BUSY_TIMEOUT_MS };

/**
 * Opens an index for reading, or for the holder of the index lock to write.
 *
 * @throws SvcError INDEX_*
 */
export function openIndex(
  file: string,
  access: 'read' | 'write',
  vectors: VectorSettings = DEFAULT_VECTOR_SETTINGS,
): OpenedIndex {
  const stats = statIndex(file);
  if (stats === undefined) return { state: 'missing' };
  if (!stats.isFile()) return { state: 'unusable', why: 'it is not a file' };
  let database: Connection | undefined;
  try {
    database = access === 'write' ? openDatabase(file, WRITER) : openForReading(file);
    const version = readVersion(database);
    if (version !== SCHEMA_VERSION) {
      database.close();
      return { state: 'unusable', why: versionComplaint(version) };
    }
    // Not before it is known to be ours: the setting stays in the file.
    if (access === 'write') prepareForWriting(database);
    const identity = readIdentity(database);
    const index = new SqliteIndex(database, identity, file, vectors);
    return { state: 'ready', index, identity };
  } catch (error) {
    database?.close();
    if (databaseFault(error) === 'corrupt' || error instanceof DamagedMetaError) {
      return { state: 'unusable', why: damageComplaint(error) };
    }
    throw asIndexError(error, file);
  }
}

/** Why a damaged index is unusable, as a clause for people. */
export function damageComplaint(error: unknown): string {
  return `it is damaged (${messageOf(error)})`;
}

/**
 * Makes an empty index at a path that is free, and leaves it free when that fails. Not crash-safe
 * until {@link SqliteIndex.seal}.
 */
export function createIndex(file: string, identity: IndexIdentity): SqliteIndex {
  const database = createDatabase(file, BUSY_TIMEOUT_MS);
  try {
    // Nobody reads the file before it is published, and a crash leaves only a stray file behind.
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
  return new SqliteIndex(database, identity, file, DEFAULT_VECTOR_SETTINGS);
}

const BUILD_CACHE_KIB = 16 * 1024;

function prepareForWriting(database: Connection): void {
  database.pragma('journal_mode = WAL');
  // A power cut may lose the newest transactions of a cache, never its integrity.
  database.pragma('synchronous = NORMAL');
}

function openForReading(file: string): Connection {
  const options = { readonly: true, busyTimeoutMs: BUSY_TIMEOUT_MS };
  try {
    const database = openDatabase(file, options);
    // The first read is what fails where WAL's side files cannot be made.
    database.pragma('user_version');
    return database;
  } catch (error) {
    if (databaseFault(error) !== 'unwritable') throw error;
    return openCopyInMemory(file);
  }
}

/**
 * A database in WAL mode cannot be read where its folder cannot be written. Its bytes can: read into
 * memory with the header's two version fields set to "rollback journal"
 * (https://sqlite.org/fileformat2.html, §1.3.3).
 */
function openCopyInMemory(file: string): Connection {
  const bytes = readFileSync(file);
  bytes.fill(1, 18, 20);
  return openDatabaseBytes(bytes);
}

function versionComplaint(version: number): string {
  if (version === 0)
    return 'it is not an index of svc; it is set aside, with ".replaced" at its end';
  return version > SCHEMA_VERSION
    ? `a newer svc wrote it (format ${version}, this one knows ${SCHEMA_VERSION})`
    : `an older svc wrote it (format ${version}, now ${SCHEMA_VERSION})`;
}
