import { setImmediate as othersTurn } from 'node:timers/promises';
import type { Connection } from '../../../sqlite/database.js';
import type { DayRange } from '../../../support/day.js';
import type { DocumentKey, Source } from '../../types.js';
import type {
  CandidateFilter,
  DatedQuestion,
  IndexTerm,
  LexicalCandidate,
  MediaSample,
  VectorCandidate,
} from '../candidates.js';
import type {
  DescribedDocument,
  DocumentContent,
  LinkingDocument,
  MediaCounts,
  StoredDocument,
  SyncMark,
} from '../documents.js';
import type {
  EmbeddingEntry,
  IdPage,
  MissingEmbedding,
  MissingMedia,
  MissingMediaCount,
  PackedStore,
  RefusedContent,
  RefusedMedia,
  StoredEmbedding,
  TidyOptions,
  VectorExtension,
  VectorSpaceStatistics,
} from '../embedding-records.js';
import type { IndexIdentity } from '../identity.js';
import type { Language } from '../languages.js';
import type {
  BatchJob,
  ChangeSet,
  FrontMatterFault,
  IndexStatistics,
  MemoryIndex,
} from '../memory-index.js';
import type { DocumentWriter } from './document-writer.js';
import { bytesOnDisk } from './index-file.js';
import {
  countMatches,
  keptBy,
  lexicalCandidates,
  lexicalScores,
  literalCandidates,
} from './lexical-candidates.js';
import {
  countDocuments,
  countMedia,
  describeDocuments,
  documentContent,
  linkingDocuments,
  storedDocuments,
} from './read-documents.js';
import { AUTOMERGE, setAutomerge } from './schema.js';
import type { Scrubber } from './scrubber.js';
import { isUnchanged } from './stored-identity.js';
import {
  notedLanguages,
  noteLanguages,
  noteMedia,
  readMeta,
  readSyncedMs,
  readSyncMark,
  writeMeta,
  writeSyncMark,
} from './sync-mark.js';
import { copyEmbeddings } from './vectors/copy-embeddings.js';
import type { VectorSettings } from './vectors/extension.js';

/**
 * The index as a SQLite database, see schema.ts. SQLite blocks the process for as long as a statement runs, so
 * methods that read many chunks yield to the event loop first.
 */
export class SqliteIndex implements MemoryIndex {
  private readonly database: Connection;
  private readonly storedIdentity: IndexIdentity;
  private readonly file: string;
  private readonly vectorSettings: VectorSettings;
  private writer: DocumentWriter | undefined;
  private extension: VectorExtension | undefined;

  constructor(
    database: Connection,
    identity: IndexIdentity,
    file: string,
    vectorSettings: VectorSettings,
  ) {
    this.database = database;
    this.storedIdentity = identity;
    this.file = file;
    this.vectorSettings = vectorSettings;
  }

  async view(): Promise<MemoryIndex> {
    return this;
  }

  async identity(): Promise<IndexIdentity> {
    return this.storedIdentity;
  }

  async hasDocuments(source: Source): Promise<boolean> {
    const select = 'SELECT 1 FROM documents WHERE source = ? LIMIT 1';
    return this.database.prepare(select).get(source) !== undefined;
  }

  async documents(): Promise<readonly StoredDocument[]> {
    return storedDocuments(this.database);
  }

  async describe(keys: readonly DocumentKey[]): Promise<readonly DescribedDocument[]> {
    return describeDocuments(this.database, keys);
  }

  async links(): Promise<readonly LinkingDocument[]> {
    return linkingDocuments(this.database);
  }

  async content(key: DocumentKey): Promise<DocumentContent | undefined> {
    return documentContent(this.database, key);
  }

  async mediaCounts(): Promise<MediaCounts> {
    return countMedia(this.database);
  }

  async statistics(): Promise<IndexStatistics> {
    return {
      ...countDocuments(this.database),
      bytes: bytesOnDisk(this.file),
      syncedMs: readSyncedMs(this.database),
    };
  }

  async apply({ atMs, vectorsFollow, changes }: ChangeSet): Promise<void> {
    // A process that only searches never loads the writer.
    const { createDocumentWriter } = await import('./document-writer.js');
    const { followChunks } = await import('./document-writer.js');
    this.writer ??= createDocumentWriter(this.database, this.storedIdentity.tokenizer);
    const { writer } = this;
    this.database.transaction(() => {
      const chunks = followChunks(this.database, vectorsFollow);
      let more = 0;
      for (const change of changes) more += writer.write(change, atMs, chunks);
      chunks.finish();
      // Stored, because counting at search time would scan the whole table.
      const before = Number(readMeta(this.database, 'chunks') ?? 0);
      writeMeta(this.database, 'chunks', String(before + more));
      noteMedia(this.database);
      noteLanguages(this.database);
      this.database.exec('DELETE FROM tree');
    })();
  }

  async syncMark(): Promise<SyncMark> {
    return readSyncMark(this.database);
  }

  async markSynced(mark: SyncMark): Promise<void> {
    this.database.transaction(() => writeSyncMark(this.database, mark))();
  }

  async lexicalCandidates(
    match: string,
    limit: number,
    filter?: CandidateFilter,
  ): Promise<readonly LexicalCandidate[]> {
    await othersTurn();
    return lexicalCandidates(this.database, match, limit, filter);
  }

  async literalCandidates(
    text: string,
    limit: number,
    filter?: CandidateFilter,
  ): Promise<readonly LexicalCandidate[]> {
    await othersTurn();
    return literalCandidates(this.database, text, limit, filter);
  }

  async countDated(days: DayRange): Promise<number> {
    return (await import('./dated-candidates.js')).countDated(this.database, days);
  }

  async datedCandidates(question: DatedQuestion): Promise<readonly LexicalCandidate[]> {
    await othersTurn();
    return (await import('./dated-candidates.js')).datedCandidates(this.database, question);
  }

  async countMatches(match: string, filter?: CandidateFilter): Promise<number> {
    await othersTurn();
    return countMatches(this.database, match, filter);
  }

  async termStatistics(
    matches: readonly string[],
  ): Promise<{ readonly chunks: number; readonly frequencies: readonly number[] }> {
    const chunks = Number(readMeta(this.database, 'chunks') ?? 0);
    const frequencies: number[] = [];
    for (const match of matches) frequencies.push(await this.countMatches(match));
    return { chunks, frequencies };
  }

  async languages(): Promise<readonly Language[]> {
    const codes = notedLanguages(this.database);
    return codes.length === 0 ? [] : (await import('../languages.js')).languagesOf(codes);
  }

  async termsBetween(first: string, end: string): Promise<readonly IndexTerm[]> {
    await othersTurn();
    return (await import('./vocabulary.js')).termsBetween(this.database, first, end);
  }

  async someTexts(match: string, limit: number): Promise<readonly string[]> {
    await othersTurn();
    return (await import('./vocabulary.js')).someTexts(this.database, match, limit);
  }

  async lexicalScores(
    match: string,
    chunkIds: readonly number[],
  ): Promise<ReadonlyMap<number, number>> {
    return lexicalScores(this.database, match, chunkIds);
  }

  async vectorIdentities(): Promise<readonly string[]> {
    const { allSpaces } = await vectors();
    return allSpaces(this.database).flatMap(({ identity, inUse }) => (inUse ? [identity] : []));
  }

  async vectorSpaces(): Promise<readonly VectorSpaceStatistics[]> {
    return (await vectors()).spaceStatistics(this.database);
  }

  async missingEmbeddings(
    identity: string,
    after: number,
    limit: number,
  ): Promise<readonly MissingEmbedding[]> {
    return (await vectors()).missingEmbeddings(this.database, identity, after, limit);
  }

  async storedEmbeddings(identity: string, page: IdPage): Promise<readonly StoredEmbedding[]> {
    return (await vectors()).storedEmbeddings(this.database, identity, page);
  }

  async missingMedia(
    identity: string,
    after: number,
    limit: number,
  ): Promise<readonly MissingMedia[]> {
    return (await vectors()).missingMedia(this.database, identity, after, limit);
  }

  async countMissingMedia(identity: string): Promise<MissingMediaCount> {
    return (await vectors()).countMissingMedia(this.database, identity);
  }

  async countMissingEmbeddings(identity: string, atMost?: number): Promise<number> {
    return (await vectors()).countMissingEmbeddings(this.database, identity, atMost);
  }

  async putEmbeddings(identity: string, entries: readonly EmbeddingEntry[]): Promise<void> {
    (await vectors()).putEmbeddings(this.database, identity, entries);
  }

  async refuseEmbeddings(identity: string, refused: readonly RefusedContent[]): Promise<void> {
    (await vectors()).refuseEmbeddings(this.database, identity, refused);
  }

  async frontMatterFaults(): Promise<readonly FrontMatterFault[]> {
    return this.database
      .prepare<[], FrontMatterFault>(
        `SELECT path, facts ->> 'fault' AS why FROM documents
         WHERE facts LIKE '%"fault":%' AND why IS NOT NULL ORDER BY path`,
      )
      .all();
  }

  async refusedMedia(): Promise<readonly RefusedMedia[]> {
    return (await vectors()).refusedMedia(this.database);
  }

  async tidyEmbeddings(options: TidyOptions): Promise<void> {
    (await vectors()).tidyEmbeddings(this.database, options);
  }

  async vectorCandidates(
    identity: string,
    query: Float32Array,
    limit: number,
    filter?: CandidateFilter,
  ): Promise<readonly VectorCandidate[]> {
    const kept = keptBy(this.database, filter);
    const { loadVectorExtension, vectorCandidates } = await vectors();
    const hasExtension = (): boolean => {
      this.extension ??= loadVectorExtension(this.database, this.vectorSettings);
      return this.extension.loaded;
    };
    const asked = { identity, vector: query, limit, kept, hasExtension };
    return vectorCandidates(this.database, asked);
  }

  async similarities(
    identity: string,
    query: Float32Array,
    chunkIds: readonly number[],
  ): Promise<ReadonlyMap<number, number>> {
    return (await vectors()).similarities(this.database, identity, query, chunkIds);
  }

  async sampleSimilarities(
    identity: string,
    query: Float32Array,
    count: number,
  ): Promise<readonly number[]> {
    return (await vectors()).sampleSimilarities(this.database, identity, query, count);
  }

  async sampleMedia(identity: string, query: Float32Array, count: number): Promise<MediaSample> {
    return (await vectors()).sampleMedia(this.database, identity, query, count);
  }

  async vectorExtension(): Promise<VectorExtension> {
    const { loadVectorExtension } = await vectors();
    this.extension ??= loadVectorExtension(this.database, this.vectorSettings);
    return this.extension;
  }

  async batchJobs(identity: string): Promise<readonly BatchJob[]> {
    return this.database
      .prepare<[string], BatchJob>(
        `SELECT id, identity, json, created_ms AS createdMs FROM batch_jobs
         WHERE identity = ? ORDER BY created_ms, id`,
      )
      .all(identity);
  }

  async saveBatchJob({ id, identity, json, createdMs }: BatchJob): Promise<void> {
    this.database
      .prepare('INSERT OR REPLACE INTO batch_jobs VALUES (?, ?, ?, ?)')
      .run(id, identity, json, createdMs);
  }

  async removeBatchJob(id: string): Promise<void> {
    this.database.prepare('DELETE FROM batch_jobs WHERE id = ?').run(id);
  }

  /** Whether the file is still the index that was opened: another process may have replaced it. */
  isCurrent(): boolean {
    return isUnchanged(this.database, this.storedIdentity);
  }

  /** For rebuilds: copies the vectors of another index file; see copy-embeddings.ts. */
  copyEmbeddings(fromFile: string, rename?: (identity: string) => string): void {
    copyEmbeddings(this.database, fromFile, rename);
  }

  /** All vectors as they are stored, to copy them from or to another store. */
  async packedStore(): Promise<PackedStore> {
    return (await vectors()).packedStore(this.database);
  }

  /** Erases deleted bytes from the file. */
  async scrubber(): Promise<Scrubber> {
    return (await import('./scrubber.js')).createScrubber(this.database);
  }

  /** Finishes a build so that other connections can open the file, and closes this one. */
  seal(): void {
    setAutomerge(this.database, AUTOMERGE.normal);
    this.database.pragma('locking_mode = NORMAL');
    this.database.pragma('journal_mode = WAL');
    this.database.close();
  }

  close(): void {
    this.database.close();
  }
}

/** Lazy: most keyword-only indexes have no vectors. */
function vectors() {
  return import('./vectors/index.js');
}
