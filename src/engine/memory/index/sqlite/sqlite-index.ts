import { type Connection, closeWriter } from '../../../sqlite/database.js';
import { queryRows, runSql } from '../../../sqlite/query.js';
import { letOthersRun } from '../../../support/async.js';
import type { CandidateFilter } from '../candidates.js';
import type { PackedStore, VectorExtension } from '../embedding-records.js';
import type { IndexIdentity } from '../identity.js';
import type { BatchJob, FrontMatterFault, MemoryIndex } from '../memory-index.js';
import { bytesOnDisk, isUnchanged } from './index-file.js';
import {
  applyFilter,
  countDated,
  countMatches,
  datedCandidates,
  type FilterResult,
  hasDocuments,
  lexicalCandidates,
  lexicalScores,
  literalCandidates,
  someTexts,
  termsBetween,
} from './lexical-candidates.js';
import {
  countDocuments,
  countMedia,
  documentContent,
  linkingDocuments,
  promotedLines,
  readMeta,
  readSyncedMs,
  readSyncMark,
  recordedLanguages,
  storedDocuments,
  writeMeta,
  writeSyncMark,
} from './read-documents.js';
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

/**
 * SQLite blocks the process for as long as a statement runs, so methods that read many chunks yield to the event loop
 * first.
 */
export function createSqliteIndex(
  database: Connection,
  { identity, file, vectors: vectorSettings, access = 'read' }: SqliteIndexOptions,
): SqliteIndex {
  let extension: VectorExtension | undefined;
  const extensionBy = ({ loadVectorExtension }: VectorPart): VectorExtension => {
    extension ??= loadVectorExtension(database, vectorSettings);
    return extension;
  };
  // A search asks several questions with one filter. Each search has a filter of its own.
  const filterResults = new WeakMap<CandidateFilter, FilterResult | 'all'>();
  const filtered = (filter: CandidateFilter = {}): FilterResult | undefined => {
    const known = filterResults.get(filter) ?? applyFilter(database, filter) ?? 'all';
    filterResults.set(filter, known);
    return known === 'all' ? undefined : known;
  };
  const index: SqliteIndex = {
    view: async () => index,
    identity: async () => identity,
    hasDocuments: async (source) => hasDocuments(database, source),
    documents: async (paths) => storedDocuments(database, paths),
    promotedLines: async (key) => promotedLines(database, key),
    links: async () => linkingDocuments(database),
    content: async (key) => documentContent(database, key),
    mediaCounts: async () => countMedia(database),
    statistics: async () => ({
      ...countDocuments(database),
      bytes: bytesOnDisk(file),
      syncedMs: readSyncedMs(database),
    }),
    apply: async (changes) => {
      // A process that only searches never loads the writer.
      const { writeChanges } = await import('./write-changes.js');
      database.transaction(() => writeChanges(database, identity.tokenizer, changes))();
    },
    syncMark: async () => readSyncMark(database),
    markSynced: async (mark) => database.transaction(() => writeSyncMark(database, mark))(),
    lexicalCandidates: async (match, limit, filter, essential) => {
      await letOthersRun();
      return lexicalCandidates(database, match, { limit, kept: filtered(filter), essential });
    },
    literalCandidates: async (text, limit, filter) => {
      await letOthersRun();
      return literalCandidates(database, text, limit, filtered(filter));
    },
    countDated: async (days) => countDated(database, days),
    datedCandidates: async (question) => {
      await letOthersRun();
      return datedCandidates(database, question, filtered(question.filter));
    },
    countMatches: async (match, filter) => {
      await letOthersRun();
      return countMatches(database, match, filtered(filter));
    },
    termStatistics: async (matches) => {
      const chunks = Number(readMeta(database, 'chunks') ?? 0);
      const frequencies: number[] = [];
      for (const match of matches) frequencies.push(await index.countMatches(match));
      return { chunks, frequencies };
    },
    languages: async () => {
      const codes = recordedLanguages(database);
      return codes.length === 0 ? [] : (await import('../languages.js')).languagesOf(codes);
    },
    termsBetween: async (first, end) => {
      await letOthersRun();
      return termsBetween(database, first, end);
    },
    someTexts: async (match, limit) => {
      await letOthersRun();
      return someTexts(database, match, limit);
    },
    lexicalScores: async (match, chunkIds) => lexicalScores(database, match, chunkIds),
    vectorIdentities: async () => {
      const { allSpaces } = await vectors();
      return allSpaces(database).flatMap(({ identity, inUse }) => (inUse ? [identity] : []));
    },
    vectorSpaces: async () => (await vectors()).spaceStatistics(database),
    missingEmbeddings: async (...args) => (await vectors()).missingEmbeddings(database, ...args),
    storedEmbeddings: async (...args) => (await vectors()).storedEmbeddings(database, ...args),
    missingMedia: async (...args) => (await vectors()).missingMedia(database, ...args),
    countMissingMedia: async (...args) => (await vectors()).countMissingMedia(database, ...args),
    countMissingEmbeddings: async (...args) =>
      (await vectors()).countMissingEmbeddings(database, ...args),
    putEmbeddings: async (...entries) => (await vectors()).putEmbeddings(database, ...entries),
    refuseEmbeddings: async (...refused) =>
      (await vectors()).refuseEmbeddings(database, ...refused),
    frontMatterFaults: async () =>
      queryRows<FrontMatterFault>(
        database,
        `SELECT path, facts ->> 'fault' AS why FROM documents
         WHERE facts LIKE '%"fault":%' AND why IS NOT NULL ORDER BY path`,
      ),
    refusedMedia: async () => (await vectors()).refusedMedia(database),
    tidyEmbeddings: async (options) => (await vectors()).tidyEmbeddings(database, options),
    vectorCandidates: async (identity, vector, limit, filter) => {
      const part = await vectors();
      const hasExtension = (): boolean => extensionBy(part).loaded;
      const options = { limit, kept: filtered(filter), hasExtension };
      return part.vectorCandidates(database, identity, vector, options);
    },
    similarities: async (...args) => (await vectors()).similarities(database, ...args),
    sampleSimilarities: async (...args) => (await vectors()).sampleSimilarities(database, ...args),
    vectorExtension: async () => extensionBy(await vectors()),
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

/** The key of the mark of the forget list. */
const FORGET_LIST = 'forget_list';

type VectorPart = typeof import('./vectors/index.js');

/** Lazy: most keyword-only indexes have no vectors. */
function vectors(): Promise<VectorPart> {
  return import('./vectors/index.js');
}
